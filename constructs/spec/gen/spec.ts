// Generated from cluster.schema.json by scripts/generate-spec.ts. Do not edit.

/** A cluster as the user asks for it. */
export interface ClusterProps {
  /**
   * Name of the cluster: first part of every node's and block's name.
   * Effect of a change: replace.
   */
  readonly name?: string | undefined;
  /**
   * Kubernetes version, such as "1.36.3". Up by one minor at most, never down. No default: an update of this package must not upgrade a cluster.
   * Effect of a change: roll.
   */
  readonly version: string;
  /**
   * Generation of the boot stage that machines run. Raise it to roll all machines to the kit's newest.
   * @default 1
   * Effect of a change: roll.
   */
  readonly templateEpoch?: number | undefined;
  /**
   * Where the machines are: exactly one cloud.
   * Effect of a change: replace.
   */
  readonly iaas: IaasProps;
  /** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
  readonly access?: AccessProps | undefined;
  /** The machines' network. */
  readonly vpcConfig?: VpcConfigProps | undefined;
  /** Networks inside the cluster. */
  readonly kubernetesNetworkConfig?: KubernetesNetworkConfigProps | undefined;
  /** The machines that run etcd and the API servers. */
  readonly controlPlane?: ControlPlaneProps | undefined;
  /** How machines move to a new release. */
  readonly upgradePolicy?: UpgradePolicyProps | undefined;
  /** Life times of what the cluster's own authorities issue. */
  readonly certificates?: CertificatesProps | undefined;
  /** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
  readonly backup?: BackupProps | undefined;
  /** Where machines get what their image does not hold. */
  readonly mirror?: MirrorProps | undefined;
  /** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
  readonly restore?: RestoreProps | undefined;
  /**
   * Tags of everything that the cluster has in the cloud.
   * Effect of a change: in place.
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /**
   * Makes the plan of a destroy fail. Set it to false and apply before a destroy.
   * @default true
   * Effect of a change: in place.
   */
  readonly deletionProtection?: boolean | undefined;
  /** What a destroy does beside taking the blocks away. */
  readonly onDestroy?: OnDestroyProps | undefined;
  /** Groups of workers by name. */
  readonly nodeGroups?: Readonly<Record<string, NodeGroupProps>> | undefined;
}

/**
 * Where the machines are: exactly one cloud.
 * Effect of a change: replace.
 */
export interface IaasProps {
  /** Machines are containers of a Docker engine. */
  readonly local?: LocalProps | undefined;
  /** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
  readonly openstack?: OpenstackProps | undefined;
  /** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
  readonly aws?: AwsProps | undefined;
  /** K2 Cloud. Who signs in is said by the provider's own settings. */
  readonly k2?: K2Props | undefined;
  /** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
  readonly hcloud?: HcloudProps | undefined;
  /** No cloud: every block is a null_resource, so that the whole plan can be read without an account. */
  readonly preview?: Readonly<Record<string, never>> | undefined;
}

/** Machines are containers of a Docker engine. */
export interface LocalProps {
  /**
   * Port on the engine's host at which the API is reached.
   * @default - 20000 to 29999, by the cluster's name
   * Effect of a change: in place.
   */
  readonly publishedPort?: number | undefined;
  /**
   * Address of the engine's host that the port is published on.
   * @default "127.0.0.1"
   * Effect of a change: in place.
   */
  readonly publishedAddress?: string | undefined;
  /**
   * Whether the machines' network has no way out.
   * @default true
   * Effect of a change: replace.
   */
  readonly internal?: boolean | undefined;
  /**
   * Largest packet of the machines' network, in bytes.
   * Effect of a change: replace.
   */
  readonly mtu?: number | undefined;
}

/** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
export interface OpenstackProps {
  /**
   * Name of the network that floating IPs and the router's way out come from. Needed for a public endpoint and for egress "nat".
   * Effect of a change: replace.
   */
  readonly externalNetwork?: string | undefined;
  /**
   * Region. Left out: the one of the provider's own settings.
   * Effect of a change: replace.
   */
  readonly region?: string | undefined;
}

/** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
export interface AwsProps {
  /**
   * Region, "eu-central-1".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** K2 Cloud. Who signs in is said by the provider's own settings. */
export interface K2Props {
  /**
   * Region, "ru-msk".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
export interface HcloudProps {
  /**
   * Network zone; all locations have to lie in it.
   * @default "eu-central"
   * Effect of a change: replace.
   */
  readonly networkZone?: string | undefined;
  /**
   * Type of the endpoint's balancer.
   * @default "lb11"
   * Effect of a change: in place.
   */
  readonly balancerType?: string | undefined;
  /**
   * What a public endpoint is. "balancer": open to the whole world, since a balancer of Hetzner asks nobody who he is. "control_planes": each has a public address that stays, and their firewall opens it for public_access_cidrs; needs access.endpoint. Decided at birth.
   * @default "balancer"
   * Effect of a change: replace.
   */
  readonly publicEndpoint?: "balancer" | "control_planes" | undefined;
  /**
   * Names of keys that new servers take. A change holds for servers made from then on.
   * Effect of a change: in place.
   */
  readonly sshKeys?: readonly string[] | undefined;
}

/** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
export interface AccessProps {
  /**
   * URL of the API, "https://host:port". Its host goes into the API server's certificate, so a change rolls the control plane. Left out: local: the published port; elsewhere the endpoint's public address, or its private one where there is none.
   * Effect of a change: roll.
   */
  readonly endpoint?: string | undefined;
  /**
   * Name that the API's certificate is checked against, where it is another than the host of the endpoint. Left out: local: none; elsewhere the name by which nodes know the API, which is in every certificate.
   * Effect of a change: in place.
   */
  readonly serverName?: string | undefined;
  /**
   * More host names and addresses for the API server's certificate.
   * Effect of a change: roll.
   */
  readonly certNames?: readonly string[] | undefined;
}

/** The machines' network. */
export interface VpcConfigProps {
  /**
   * IPv4 range of the machines, /8 to /27; with subnets the range around them. Of one subnet its tenth address is the API's, the next five are the control planes'.
   * @default - local: 10.98.N.0/24, N by the cluster's name; elsewhere 10.98.0.0/16
   * Effect of a change: replace.
   */
  readonly cidr?: string | undefined;
  /**
   * Subnets by zone, where a subnet of the cloud lies in one zone (aws, k2). Elsewhere there is one, which is all of cidr.
   * Effect of a change: replace.
   */
  readonly subnets?: Readonly<Record<string, SubnetProps>> | undefined;
  /**
   * An existing network, in the cloud's words. Nothing of it is changed; routes and the way out are its owner's. cidr has to be said.
   * Effect of a change: replace.
   */
  readonly networkId?: string | undefined;
  /**
   * An existing subnet of network_id, where the cluster has one subnet; its range is cidr. Left out: a new one in it.
   * Effect of a change: replace.
   */
  readonly subnetId?: string | undefined;
  /**
   * Existing groups of firewall rules that all machines are in beside the cluster's own.
   * Effect of a change: in place.
   */
  readonly securityGroupIds?: readonly string[] | undefined;
  /**
   * "managed": the cluster has firewall rules of its own. "own": none are made, and security_group_ids have to open what docs/clouds lists.
   * @default "managed"
   * Effect of a change: in place.
   */
  readonly firewall?: "managed" | "own" | undefined;
  /**
   * More rules by name, each a resource of its own.
   * Effect of a change: in place.
   */
  readonly securityRules?: Readonly<Record<string, SecurityRuleProps>> | undefined;
  /**
   * How machines reach the world. "none": not at all, mirrors are inside. "nat": by one gateway of the cloud. "nat_per_zone": by one in each zone. "public": each has a public address, at which nothing comes in. With network_id only "none" (the network's own routes) and "public".
   * @default - local: none, see iaas.local.internal; with network_id: none; hcloud: public; elsewhere nat
   * Effect of a change: in place.
   */
  readonly egress?: "none" | "nat" | "nat_per_zone" | "public" | undefined;
  /**
   * Whether the API is reached from the world, by those in public_access_cidrs.
   * @default - true when public_access_cidrs has any
   * Effect of a change: in place.
   */
  readonly endpointPublicAccess?: boolean | undefined;
  /**
   * Whether others in the machines' network than the cluster's own machines reach the API by its private address.
   * @default true
   * Effect of a change: in place.
   */
  readonly endpointPrivateAccess?: boolean | undefined;
  /**
   * Ranges of the world that reach the API. No others do.
   * Effect of a change: in place.
   */
  readonly publicAccessCidrs?: readonly string[] | undefined;
  /**
   * Existing public addresses for the endpoint, in the cloud's words: OpenStack: a floating IP; aws, k2: allocation ids, one for each zone with a public subnet, in the order of their names. They stay when the cluster goes.
   * Effect of a change: in place.
   */
  readonly endpointPublicAddresses?: readonly string[] | undefined;
  /**
   * Which address of a subnet is the endpoint's; the next five are control planes'. For existing subnets in which others have the first ones.
   * @default 10
   * Effect of a change: replace.
   */
  readonly addressOffset?: number | undefined;
}

/** Subnets of one zone. */
export interface SubnetProps {
  /**
   * Range of the machines there, /8 to /27.
   * Effect of a change: replace.
   */
  readonly cidr: string;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly id?: string | undefined;
  /**
   * Range for what faces the world there (public endpoint, NAT gateway), /8 to /28; no machine is in it.
   * Effect of a change: replace.
   */
  readonly publicCidr?: string | undefined;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly publicId?: string | undefined;
}

/** Who else may reach machines. */
export interface SecurityRuleProps {
  /**
   * Whom it opens.
   * Effect of a change: in place.
   */
  readonly to: "control-plane" | "worker" | "all";
  /**
   * Protocol.
   * Effect of a change: in place.
   */
  readonly protocol: "tcp" | "udp" | "icmp";
  /**
   * First port; icmp has none.
   * Effect of a change: in place.
   */
  readonly fromPort?: number | undefined;
  /**
   * Last port. Left out: only the first.
   * Effect of a change: in place.
   */
  readonly toPort?: number | undefined;
  /**
   * From where.
   * Effect of a change: in place.
   */
  readonly cidr: string;
  /**
   * Why; the rule's description.
   * Effect of a change: in place.
   */
  readonly reason: string;
}

/** Networks inside the cluster. */
export interface KubernetesNetworkConfigProps {
  /**
   * IPv4 range of pods.
   * @default "10.244.0.0/16"
   * Effect of a change: replace.
   */
  readonly podIpv4Cidr?: string | undefined;
  /**
   * IPv4 range of services, /12 to /24. Its tenth address is the cluster's DNS.
   * @default "10.96.0.0/16"
   * Effect of a change: replace.
   */
  readonly serviceIpv4Cidr?: string | undefined;
  /**
   * Size of one node's part of the pod range, as a prefix length.
   * @default 24
   * Effect of a change: roll.
   */
  readonly nodeCidrMask?: number | undefined;
  /**
   * Pod network: "kube-router", or "none" when you bring your own.
   * @default "kube-router"
   * Effect of a change: in place.
   */
  readonly cni?: "kube-router" | "none" | undefined;
}

/** The machines that run etcd and the API servers. */
export interface ControlPlaneProps {
  /**
   * Number of control planes. An even number has no more tolerance than the odd one below it.
   * @default 1
   * Effect of a change: in place.
   */
  readonly replicas?: 1 | 3 | 5 | undefined;
  /**
   * Machine type, in the cloud's words.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instanceType?: string | undefined;
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image?: string | undefined;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly diskSize?: number | undefined;
  /**
   * Zones that control planes spread over, in this order. Append new ones: an etcd disk cannot change its zone.
   * @default - local: a; required on clouds
   * Effect of a change: replace.
   */
  readonly zones?: readonly string[] | undefined;
  /** The disk of one etcd member. */
  readonly etcdVolume?: EtcdVolumeProps | undefined;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly componentFlags?: Readonly<Record<string, string>> | undefined;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly userDataParts?: Readonly<Record<string, UserDataPartProps>> | undefined;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drainTimeoutSec?: number | undefined;
  /**
   * Whether machines of all roles mend what they find broken on themselves (kubelet, containerd, etcd, etcd without space), or only report it.
   * @default true
   * Effect of a change: in place.
   */
  readonly selfHeal?: boolean | undefined;
}

/** The disk of one etcd member. */
export interface EtcdVolumeProps {
  /**
   * Size in GiB.
   * @default 8
   * Effect of a change: replace.
   */
  readonly sizeGib?: number | undefined;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: replace.
   */
  readonly type?: string | undefined;
  /**
   * Operations a second that are paid for.
   * Effect of a change: in place.
   */
  readonly iops?: number | undefined;
}

/** One part. */
export interface UserDataPartProps {
  /**
   * What cloud-init does with it.
   * Effect of a change: roll.
   */
  readonly contentType: "text/cloud-config" | "text/x-shellscript" | "text/cloud-boothook";
  /**
   * The part.
   * Effect of a change: roll.
   */
  readonly content: string;
}

/** How machines move to a new release. */
export interface UpgradePolicyProps {
  /**
   * "one_per_apply": one control plane moves in an apply. "in_one_apply": all of them, one after another; only when nothing that they share changes with them.
   * @default "one_per_apply"
   * Effect of a change: in place.
   */
  readonly roll?: "one_per_apply" | "in_one_apply" | undefined;
  /** When machines may move to a new release. Left out: always. */
  readonly maintenanceWindow?: MaintenanceWindowProps | undefined;
}

/** When machines may move to a new release. Left out: always. */
export interface MaintenanceWindowProps {
  /**
   * Days on which the window opens.
   * @default ["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]
   * Effect of a change: in place.
   */
  readonly days?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | undefined;
  /**
   * Hour at which it opens, 0 to 23.
   * Effect of a change: in place.
   */
  readonly hour: number;
  /**
   * Hours that it stays open.
   * Effect of a change: in place.
   */
  readonly durationHours: number;
  /**
   * Time zone, such as "Europe/Berlin".
   * @default "UTC"
   * Effect of a change: in place.
   */
  readonly timezone?: string | undefined;
}

/** Life times of what the cluster's own authorities issue. */
export interface CertificatesProps {
  /**
   * Life of the authorities, in hours.
   * @default 87600
   * Effect of a change: replace.
   */
  readonly caHours?: number | undefined;
  /**
   * Life of the certificates of nodes and components, such as "8760h" or "90m": from 3m to the authorities' own. They are renewed on the machines.
   * @default "8760h"
   * Effect of a change: in place.
   */
  readonly lifetime?: string | undefined;
  /**
   * How long before its end a certificate is renewed: 1m at least, and less than lifetime. A kubelet renews its own when 10 to 30 % of their life is left.
   * @default - a third of lifetime
   * Effect of a change: in place.
   */
  readonly renewBefore?: string | undefined;
  /**
   * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
   * Effect of a change: in place.
   */
  readonly rotation?: RotationProps | undefined;
  /**
   * Minutes that a first apply has to bring the control plane to life.
   * @default 180
   * Effect of a change: in place.
   */
  readonly ticketMinutes?: number | undefined;
}

/**
 * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
 * Effect of a change: in place.
 */
export interface RotationProps {
  /**
   * 1 for the cluster's first rotation, then one more each time.
   * Effect of a change: in place.
   */
  readonly number: number;
  /**
   * "create": new authorities are trusted beside the old ones. "promote": they sign, and machines move to boot documents with them. "retire": the old ones are forgotten.
   * Effect of a change: in place.
   */
  readonly state: "create" | "promote" | "retire";
}

/** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
export interface BackupProps {
  /**
   * Time between two snapshots of a control plane, such as "6h": 1m to 168h; "off" for none. Each control plane has a turn of its own.
   * @default "6h"
   * Effect of a change: in place.
   */
  readonly schedule?: string | undefined;
  /**
   * How many snapshots stay on each etcd disk; the oldest go first.
   * @default 8
   * Effect of a change: in place.
   */
  readonly keep?: number | undefined;
  /**
   * Time between two trials of a restore, such as "24h": 1m to 720h; "off" for none. The newest snapshot goes into an etcd of its own, and its objects are counted.
   * @default "24h"
   * Effect of a change: in place.
   */
  readonly drillEvery?: string | undefined;
  /** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
  readonly target?: TargetProps | undefined;
}

/** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
export interface TargetProps {
  /** A bucket of any server that speaks S3. */
  readonly s3: S3Props;
  /**
   * Seals everything that leaves the cluster; 16 characters at least; may be a reference to a sensitive variable. Without it no copy can be opened: keep it elsewhere.
   * Effect of a change: in place.
   */
  readonly passphrase: string;
  /**
   * How many snapshots stay there; the oldest go first.
   * @default 30
   * Effect of a change: in place.
   */
  readonly keep?: number | undefined;
}

/** A bucket of any server that speaks S3. */
export interface S3Props {
  /**
   * URL of the server as control planes reach it, "https://s3.example.com", without a path.
   * Effect of a change: in place.
   */
  readonly endpoint: string;
  /**
   * Name of the bucket, which exists.
   * Effect of a change: in place.
   */
  readonly bucket: string;
  /**
   * What the names of all objects begin with, "clusters/".
   * @default ""
   * Effect of a change: in place.
   */
  readonly prefix?: string | undefined;
  /**
   * Region that requests are signed for.
   * @default "us-east-1"
   * Effect of a change: in place.
   */
  readonly region?: string | undefined;
  /**
   * Key that control planes use there; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly accessKeyId: string;
  /**
   * Its secret; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly secretAccessKey: string;
  /**
   * PEM certificates that the server's own is checked against.
   * Effect of a change: in place.
   */
  readonly ca?: string | undefined;
}

/** Where machines get what their image does not hold. */
export interface MirrorProps {
  /**
   * URL of a folder with the layout of the upstream release sites.
   * Effect of a change: roll.
   */
  readonly binaries?: string | undefined;
  /**
   * URL of a registry that has the container images.
   * Effect of a change: roll.
   */
  readonly images?: string | undefined;
  /**
   * PEM certificate that both are checked against.
   * Effect of a change: roll.
   */
  readonly ca?: string | undefined;
}

/** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
export interface RestoreProps {
  /**
   * Which restore it is: 1 for the first, one more for each further one, also for one that did not work. Never lowered.
   * Effect of a change: roll.
   */
  readonly number: number;
  /**
   * sha256 of the snapshot's file as it is fetched.
   * Effect of a change: roll.
   */
  readonly sha256: string;
  /**
   * Where control planes fetch it; a presigned URL will do.
   * Effect of a change: in place.
   */
  readonly url?: string | undefined;
  /**
   * Passphrase of a sealed snapshot. Left out: the file is not sealed.
   * Effect of a change: in place.
   */
  readonly passphrase?: string | undefined;
  /**
   * Until when control planes may go back to it, at most a week ahead. After that a machine that is made anew does not, even when all disks are lost.
   * Effect of a change: in place.
   */
  readonly notAfter?: string | undefined;
}

/** What a destroy does beside taking the blocks away. */
export interface OnDestroyProps {
  /**
   * "keep" or "delete": volumes that Kubernetes made.
   * @default "keep"
   * Effect of a change: in place.
   */
  readonly volumes?: "keep" | "delete" | undefined;
}

/** A group of workers of one kind. */
export interface NodeGroupProps {
  /** Size of the group. */
  readonly scalingConfig: ScalingConfigProps;
  /**
   * Machine types, the first one preferred.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instanceTypes?: readonly string[] | undefined;
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image?: string | undefined;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly diskSize?: number | undefined;
  /**
   * How machines are paid for.
   * @default "ON_DEMAND"
   * Effect of a change: roll.
   */
  readonly capacityType?: "ON_DEMAND" | "SPOT" | undefined;
  /**
   * Kubernetes version of the workers: not above the control plane's, at most three minors below.
   * @default - the control plane's version
   * Effect of a change: roll.
   */
  readonly version?: string | undefined;
  /**
   * Zones that workers spread over, in this order. Append new ones, so that they only add machines.
   * @default - the control plane's zones
   * Effect of a change: in place.
   */
  readonly zones?: readonly string[] | undefined;
  /**
   * Labels of the nodes.
   * Effect of a change: in place.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Taints of the nodes.
   * Effect of a change: in place.
   */
  readonly taint?: readonly TaintProps[] | undefined;
  /** How many workers of the group move to a new release at a time. */
  readonly updateConfig?: UpdateConfigProps | undefined;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly componentFlags?: Readonly<Record<string, string>> | undefined;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly userDataParts?: Readonly<Record<string, UserDataPartProps>> | undefined;
  /**
   * More disks of each worker by name; they come and go with their machine, empty.
   * Effect of a change: roll.
   */
  readonly extraDisks?: Readonly<Record<string, ExtraDiskProps>> | undefined;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drainTimeoutSec?: number | undefined;
}

/** Size of the group. */
export interface ScalingConfigProps {
  /**
   * Number of workers; 0 is fine.
   * Effect of a change: in place.
   */
  readonly desiredSize: number;
  /**
   * Bound of desired_size from below.
   * @default 0
   * Effect of a change: in place.
   */
  readonly minSize?: number | undefined;
  /**
   * Bound of desired_size from above.
   * @default 1000
   * Effect of a change: in place.
   */
  readonly maxSize?: number | undefined;
}

/** Keeps pods away that do not tolerate it. */
export interface TaintProps {
  /** Key, such as "dedicated". */
  readonly key: string;
  /**
   * Value.
   * @default ""
   */
  readonly value?: string | undefined;
  /** What it does. */
  readonly effect: "NO_SCHEDULE" | "PREFER_NO_SCHEDULE" | "NO_EXECUTE";
}

/** How many workers of the group move to a new release at a time. */
export interface UpdateConfigProps {
  /**
   * Workers that are replaced at a time, each by a new one that is Ready before it goes.
   * @default 1
   * Effect of a change: in place.
   */
  readonly maxSurge?: number | undefined;
}

/** A disk beside the root disk. */
export interface ExtraDiskProps {
  /**
   * Size in GiB.
   * Effect of a change: roll.
   */
  readonly sizeGib: number;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: roll.
   */
  readonly type?: string | undefined;
}

/** A cluster as the user asks for it. */
export interface ClusterInput {
  /**
   * Name of the cluster: first part of every node's and block's name.
   * Effect of a change: replace.
   */
  readonly name: string;
  /**
   * Kubernetes version, such as "1.36.3". Up by one minor at most, never down. No default: an update of this package must not upgrade a cluster.
   * Effect of a change: roll.
   */
  readonly version: string;
  /**
   * Generation of the boot stage that machines run. Raise it to roll all machines to the kit's newest.
   * @default 1
   * Effect of a change: roll.
   */
  readonly template_epoch?: number | undefined;
  /**
   * Where the machines are: exactly one cloud.
   * Effect of a change: replace.
   */
  readonly iaas: IaasInput;
  /** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
  readonly access?: AccessInput | undefined;
  /** The machines' network. */
  readonly vpc_config?: VpcConfigInput | undefined;
  /** Networks inside the cluster. */
  readonly kubernetes_network_config?: KubernetesNetworkConfigInput | undefined;
  /** The machines that run etcd and the API servers. */
  readonly control_plane?: ControlPlaneInput | undefined;
  /** How machines move to a new release. */
  readonly upgrade_policy?: UpgradePolicyInput | undefined;
  /** Life times of what the cluster's own authorities issue. */
  readonly certificates?: CertificatesInput | undefined;
  /** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
  readonly backup?: BackupInput | undefined;
  /** Where machines get what their image does not hold. */
  readonly mirror?: MirrorInput | undefined;
  /** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
  readonly restore?: RestoreInput | undefined;
  /**
   * Tags of everything that the cluster has in the cloud.
   * Effect of a change: in place.
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /**
   * Makes the plan of a destroy fail. Set it to false and apply before a destroy.
   * @default true
   * Effect of a change: in place.
   */
  readonly deletion_protection?: boolean | undefined;
  /** What a destroy does beside taking the blocks away. */
  readonly on_destroy?: OnDestroyInput | undefined;
  /** Groups of workers by name. */
  readonly node_groups?: Readonly<Record<string, NodeGroupInput>> | undefined;
}

/**
 * Where the machines are: exactly one cloud.
 * Effect of a change: replace.
 */
export interface IaasInput {
  /** Machines are containers of a Docker engine. */
  readonly local?: LocalInput | undefined;
  /** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
  readonly openstack?: OpenstackInput | undefined;
  /** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
  readonly aws?: AwsInput | undefined;
  /** K2 Cloud. Who signs in is said by the provider's own settings. */
  readonly k2?: K2Input | undefined;
  /** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
  readonly hcloud?: HcloudInput | undefined;
  /** No cloud: every block is a null_resource, so that the whole plan can be read without an account. */
  readonly preview?: Readonly<Record<string, never>> | undefined;
}

/** Machines are containers of a Docker engine. */
export interface LocalInput {
  /**
   * Port on the engine's host at which the API is reached.
   * @default - 20000 to 29999, by the cluster's name
   * Effect of a change: in place.
   */
  readonly published_port?: number | undefined;
  /**
   * Address of the engine's host that the port is published on.
   * @default "127.0.0.1"
   * Effect of a change: in place.
   */
  readonly published_address?: string | undefined;
  /**
   * Whether the machines' network has no way out.
   * @default true
   * Effect of a change: replace.
   */
  readonly internal?: boolean | undefined;
  /**
   * Largest packet of the machines' network, in bytes.
   * Effect of a change: replace.
   */
  readonly mtu?: number | undefined;
}

/** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
export interface OpenstackInput {
  /**
   * Name of the network that floating IPs and the router's way out come from. Needed for a public endpoint and for egress "nat".
   * Effect of a change: replace.
   */
  readonly external_network?: string | undefined;
  /**
   * Region. Left out: the one of the provider's own settings.
   * Effect of a change: replace.
   */
  readonly region?: string | undefined;
}

/** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
export interface AwsInput {
  /**
   * Region, "eu-central-1".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** K2 Cloud. Who signs in is said by the provider's own settings. */
export interface K2Input {
  /**
   * Region, "ru-msk".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
export interface HcloudInput {
  /**
   * Network zone; all locations have to lie in it.
   * @default "eu-central"
   * Effect of a change: replace.
   */
  readonly network_zone?: string | undefined;
  /**
   * Type of the endpoint's balancer.
   * @default "lb11"
   * Effect of a change: in place.
   */
  readonly balancer_type?: string | undefined;
  /**
   * What a public endpoint is. "balancer": open to the whole world, since a balancer of Hetzner asks nobody who he is. "control_planes": each has a public address that stays, and their firewall opens it for public_access_cidrs; needs access.endpoint. Decided at birth.
   * @default "balancer"
   * Effect of a change: replace.
   */
  readonly public_endpoint?: "balancer" | "control_planes" | undefined;
  /**
   * Names of keys that new servers take. A change holds for servers made from then on.
   * Effect of a change: in place.
   */
  readonly ssh_keys?: readonly string[] | undefined;
}

/** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
export interface AccessInput {
  /**
   * URL of the API, "https://host:port". Its host goes into the API server's certificate, so a change rolls the control plane. Left out: local: the published port; elsewhere the endpoint's public address, or its private one where there is none.
   * Effect of a change: roll.
   */
  readonly endpoint?: string | undefined;
  /**
   * Name that the API's certificate is checked against, where it is another than the host of the endpoint. Left out: local: none; elsewhere the name by which nodes know the API, which is in every certificate.
   * Effect of a change: in place.
   */
  readonly server_name?: string | undefined;
  /**
   * More host names and addresses for the API server's certificate.
   * Effect of a change: roll.
   */
  readonly cert_names?: readonly string[] | undefined;
}

/** The machines' network. */
export interface VpcConfigInput {
  /**
   * IPv4 range of the machines, /8 to /27; with subnets the range around them. Of one subnet its tenth address is the API's, the next five are the control planes'.
   * @default - local: 10.98.N.0/24, N by the cluster's name; elsewhere 10.98.0.0/16
   * Effect of a change: replace.
   */
  readonly cidr?: string | undefined;
  /**
   * Subnets by zone, where a subnet of the cloud lies in one zone (aws, k2). Elsewhere there is one, which is all of cidr.
   * Effect of a change: replace.
   */
  readonly subnets?: Readonly<Record<string, SubnetInput>> | undefined;
  /**
   * An existing network, in the cloud's words. Nothing of it is changed; routes and the way out are its owner's. cidr has to be said.
   * Effect of a change: replace.
   */
  readonly network_id?: string | undefined;
  /**
   * An existing subnet of network_id, where the cluster has one subnet; its range is cidr. Left out: a new one in it.
   * Effect of a change: replace.
   */
  readonly subnet_id?: string | undefined;
  /**
   * Existing groups of firewall rules that all machines are in beside the cluster's own.
   * Effect of a change: in place.
   */
  readonly security_group_ids?: readonly string[] | undefined;
  /**
   * "managed": the cluster has firewall rules of its own. "own": none are made, and security_group_ids have to open what docs/clouds lists.
   * @default "managed"
   * Effect of a change: in place.
   */
  readonly firewall?: "managed" | "own" | undefined;
  /**
   * More rules by name, each a resource of its own.
   * Effect of a change: in place.
   */
  readonly security_rules?: Readonly<Record<string, SecurityRuleInput>> | undefined;
  /**
   * How machines reach the world. "none": not at all, mirrors are inside. "nat": by one gateway of the cloud. "nat_per_zone": by one in each zone. "public": each has a public address, at which nothing comes in. With network_id only "none" (the network's own routes) and "public".
   * @default - local: none, see iaas.local.internal; with network_id: none; hcloud: public; elsewhere nat
   * Effect of a change: in place.
   */
  readonly egress?: "none" | "nat" | "nat_per_zone" | "public" | undefined;
  /**
   * Whether the API is reached from the world, by those in public_access_cidrs.
   * @default - true when public_access_cidrs has any
   * Effect of a change: in place.
   */
  readonly endpoint_public_access?: boolean | undefined;
  /**
   * Whether others in the machines' network than the cluster's own machines reach the API by its private address.
   * @default true
   * Effect of a change: in place.
   */
  readonly endpoint_private_access?: boolean | undefined;
  /**
   * Ranges of the world that reach the API. No others do.
   * Effect of a change: in place.
   */
  readonly public_access_cidrs?: readonly string[] | undefined;
  /**
   * Existing public addresses for the endpoint, in the cloud's words: OpenStack: a floating IP; aws, k2: allocation ids, one for each zone with a public subnet, in the order of their names. They stay when the cluster goes.
   * Effect of a change: in place.
   */
  readonly endpoint_public_addresses?: readonly string[] | undefined;
  /**
   * Which address of a subnet is the endpoint's; the next five are control planes'. For existing subnets in which others have the first ones.
   * @default 10
   * Effect of a change: replace.
   */
  readonly address_offset?: number | undefined;
}

/** Subnets of one zone. */
export interface SubnetInput {
  /**
   * Range of the machines there, /8 to /27.
   * Effect of a change: replace.
   */
  readonly cidr: string;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly id?: string | undefined;
  /**
   * Range for what faces the world there (public endpoint, NAT gateway), /8 to /28; no machine is in it.
   * Effect of a change: replace.
   */
  readonly public_cidr?: string | undefined;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly public_id?: string | undefined;
}

/** Who else may reach machines. */
export interface SecurityRuleInput {
  /**
   * Whom it opens.
   * Effect of a change: in place.
   */
  readonly to: "control-plane" | "worker" | "all";
  /**
   * Protocol.
   * Effect of a change: in place.
   */
  readonly protocol: "tcp" | "udp" | "icmp";
  /**
   * First port; icmp has none.
   * Effect of a change: in place.
   */
  readonly from_port?: number | undefined;
  /**
   * Last port. Left out: only the first.
   * Effect of a change: in place.
   */
  readonly to_port?: number | undefined;
  /**
   * From where.
   * Effect of a change: in place.
   */
  readonly cidr: string;
  /**
   * Why; the rule's description.
   * Effect of a change: in place.
   */
  readonly reason: string;
}

/** Networks inside the cluster. */
export interface KubernetesNetworkConfigInput {
  /**
   * IPv4 range of pods.
   * @default "10.244.0.0/16"
   * Effect of a change: replace.
   */
  readonly pod_ipv4_cidr?: string | undefined;
  /**
   * IPv4 range of services, /12 to /24. Its tenth address is the cluster's DNS.
   * @default "10.96.0.0/16"
   * Effect of a change: replace.
   */
  readonly service_ipv4_cidr?: string | undefined;
  /**
   * Size of one node's part of the pod range, as a prefix length.
   * @default 24
   * Effect of a change: roll.
   */
  readonly node_cidr_mask?: number | undefined;
  /**
   * Pod network: "kube-router", or "none" when you bring your own.
   * @default "kube-router"
   * Effect of a change: in place.
   */
  readonly cni?: "kube-router" | "none" | undefined;
}

/** The machines that run etcd and the API servers. */
export interface ControlPlaneInput {
  /**
   * Number of control planes. An even number has no more tolerance than the odd one below it.
   * @default 1
   * Effect of a change: in place.
   */
  readonly replicas?: 1 | 3 | 5 | undefined;
  /**
   * Machine type, in the cloud's words.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instance_type?: string | undefined;
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image?: string | undefined;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly disk_size?: number | undefined;
  /**
   * Zones that control planes spread over, in this order. Append new ones: an etcd disk cannot change its zone.
   * @default - local: a; required on clouds
   * Effect of a change: replace.
   */
  readonly zones?: readonly string[] | undefined;
  /** The disk of one etcd member. */
  readonly etcd_volume?: EtcdVolumeInput | undefined;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly component_flags?: Readonly<Record<string, string>> | undefined;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly user_data_parts?: Readonly<Record<string, UserDataPartInput>> | undefined;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drain_timeout_sec?: number | undefined;
  /**
   * Whether machines of all roles mend what they find broken on themselves (kubelet, containerd, etcd, etcd without space), or only report it.
   * @default true
   * Effect of a change: in place.
   */
  readonly self_heal?: boolean | undefined;
}

/** The disk of one etcd member. */
export interface EtcdVolumeInput {
  /**
   * Size in GiB.
   * @default 8
   * Effect of a change: replace.
   */
  readonly size_gib?: number | undefined;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: replace.
   */
  readonly type?: string | undefined;
  /**
   * Operations a second that are paid for.
   * Effect of a change: in place.
   */
  readonly iops?: number | undefined;
}

/** One part. */
export interface UserDataPartInput {
  /**
   * What cloud-init does with it.
   * Effect of a change: roll.
   */
  readonly content_type: "text/cloud-config" | "text/x-shellscript" | "text/cloud-boothook";
  /**
   * The part.
   * Effect of a change: roll.
   */
  readonly content: string;
}

/** How machines move to a new release. */
export interface UpgradePolicyInput {
  /**
   * "one_per_apply": one control plane moves in an apply. "in_one_apply": all of them, one after another; only when nothing that they share changes with them.
   * @default "one_per_apply"
   * Effect of a change: in place.
   */
  readonly roll?: "one_per_apply" | "in_one_apply" | undefined;
  /** When machines may move to a new release. Left out: always. */
  readonly maintenance_window?: MaintenanceWindowInput | undefined;
}

/** When machines may move to a new release. Left out: always. */
export interface MaintenanceWindowInput {
  /**
   * Days on which the window opens.
   * @default ["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]
   * Effect of a change: in place.
   */
  readonly days?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | undefined;
  /**
   * Hour at which it opens, 0 to 23.
   * Effect of a change: in place.
   */
  readonly hour: number;
  /**
   * Hours that it stays open.
   * Effect of a change: in place.
   */
  readonly duration_hours: number;
  /**
   * Time zone, such as "Europe/Berlin".
   * @default "UTC"
   * Effect of a change: in place.
   */
  readonly timezone?: string | undefined;
}

/** Life times of what the cluster's own authorities issue. */
export interface CertificatesInput {
  /**
   * Life of the authorities, in hours.
   * @default 87600
   * Effect of a change: replace.
   */
  readonly ca_hours?: number | undefined;
  /**
   * Life of the certificates of nodes and components, such as "8760h" or "90m": from 3m to the authorities' own. They are renewed on the machines.
   * @default "8760h"
   * Effect of a change: in place.
   */
  readonly lifetime?: string | undefined;
  /**
   * How long before its end a certificate is renewed: 1m at least, and less than lifetime. A kubelet renews its own when 10 to 30 % of their life is left.
   * @default - a third of lifetime
   * Effect of a change: in place.
   */
  readonly renew_before?: string | undefined;
  /**
   * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
   * Effect of a change: in place.
   */
  readonly rotation?: RotationInput | undefined;
  /**
   * Minutes that a first apply has to bring the control plane to life.
   * @default 180
   * Effect of a change: in place.
   */
  readonly ticket_minutes?: number | undefined;
}

/**
 * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
 * Effect of a change: in place.
 */
export interface RotationInput {
  /**
   * 1 for the cluster's first rotation, then one more each time.
   * Effect of a change: in place.
   */
  readonly number: number;
  /**
   * "create": new authorities are trusted beside the old ones. "promote": they sign, and machines move to boot documents with them. "retire": the old ones are forgotten.
   * Effect of a change: in place.
   */
  readonly state: "create" | "promote" | "retire";
}

/** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
export interface BackupInput {
  /**
   * Time between two snapshots of a control plane, such as "6h": 1m to 168h; "off" for none. Each control plane has a turn of its own.
   * @default "6h"
   * Effect of a change: in place.
   */
  readonly schedule?: string | undefined;
  /**
   * How many snapshots stay on each etcd disk; the oldest go first.
   * @default 8
   * Effect of a change: in place.
   */
  readonly keep?: number | undefined;
  /**
   * Time between two trials of a restore, such as "24h": 1m to 720h; "off" for none. The newest snapshot goes into an etcd of its own, and its objects are counted.
   * @default "24h"
   * Effect of a change: in place.
   */
  readonly drill_every?: string | undefined;
  /** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
  readonly target?: TargetInput | undefined;
}

/** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
export interface TargetInput {
  /** A bucket of any server that speaks S3. */
  readonly s3: S3Input;
  /**
   * Seals everything that leaves the cluster; 16 characters at least; may be a reference to a sensitive variable. Without it no copy can be opened: keep it elsewhere.
   * Effect of a change: in place.
   */
  readonly passphrase: string;
  /**
   * How many snapshots stay there; the oldest go first.
   * @default 30
   * Effect of a change: in place.
   */
  readonly keep?: number | undefined;
}

/** A bucket of any server that speaks S3. */
export interface S3Input {
  /**
   * URL of the server as control planes reach it, "https://s3.example.com", without a path.
   * Effect of a change: in place.
   */
  readonly endpoint: string;
  /**
   * Name of the bucket, which exists.
   * Effect of a change: in place.
   */
  readonly bucket: string;
  /**
   * What the names of all objects begin with, "clusters/".
   * @default ""
   * Effect of a change: in place.
   */
  readonly prefix?: string | undefined;
  /**
   * Region that requests are signed for.
   * @default "us-east-1"
   * Effect of a change: in place.
   */
  readonly region?: string | undefined;
  /**
   * Key that control planes use there; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly access_key_id: string;
  /**
   * Its secret; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly secret_access_key: string;
  /**
   * PEM certificates that the server's own is checked against.
   * Effect of a change: in place.
   */
  readonly ca?: string | undefined;
}

/** Where machines get what their image does not hold. */
export interface MirrorInput {
  /**
   * URL of a folder with the layout of the upstream release sites.
   * Effect of a change: roll.
   */
  readonly binaries?: string | undefined;
  /**
   * URL of a registry that has the container images.
   * Effect of a change: roll.
   */
  readonly images?: string | undefined;
  /**
   * PEM certificate that both are checked against.
   * Effect of a change: roll.
   */
  readonly ca?: string | undefined;
}

/** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
export interface RestoreInput {
  /**
   * Which restore it is: 1 for the first, one more for each further one, also for one that did not work. Never lowered.
   * Effect of a change: roll.
   */
  readonly number: number;
  /**
   * sha256 of the snapshot's file as it is fetched.
   * Effect of a change: roll.
   */
  readonly sha256: string;
  /**
   * Where control planes fetch it; a presigned URL will do.
   * Effect of a change: in place.
   */
  readonly url?: string | undefined;
  /**
   * Passphrase of a sealed snapshot. Left out: the file is not sealed.
   * Effect of a change: in place.
   */
  readonly passphrase?: string | undefined;
  /**
   * Until when control planes may go back to it, at most a week ahead. After that a machine that is made anew does not, even when all disks are lost.
   * Effect of a change: in place.
   */
  readonly not_after?: string | undefined;
}

/** What a destroy does beside taking the blocks away. */
export interface OnDestroyInput {
  /**
   * "keep" or "delete": volumes that Kubernetes made.
   * @default "keep"
   * Effect of a change: in place.
   */
  readonly volumes?: "keep" | "delete" | undefined;
}

/** A group of workers of one kind. */
export interface NodeGroupInput {
  /** Size of the group. */
  readonly scaling_config: ScalingConfigInput;
  /**
   * Machine types, the first one preferred.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instance_types?: readonly string[] | undefined;
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image?: string | undefined;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly disk_size?: number | undefined;
  /**
   * How machines are paid for.
   * @default "ON_DEMAND"
   * Effect of a change: roll.
   */
  readonly capacity_type?: "ON_DEMAND" | "SPOT" | undefined;
  /**
   * Kubernetes version of the workers: not above the control plane's, at most three minors below.
   * @default - the control plane's version
   * Effect of a change: roll.
   */
  readonly version?: string | undefined;
  /**
   * Zones that workers spread over, in this order. Append new ones, so that they only add machines.
   * @default - the control plane's zones
   * Effect of a change: in place.
   */
  readonly zones?: readonly string[] | undefined;
  /**
   * Labels of the nodes.
   * Effect of a change: in place.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Taints of the nodes.
   * Effect of a change: in place.
   */
  readonly taint?: readonly TaintInput[] | undefined;
  /** How many workers of the group move to a new release at a time. */
  readonly update_config?: UpdateConfigInput | undefined;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly component_flags?: Readonly<Record<string, string>> | undefined;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly user_data_parts?: Readonly<Record<string, UserDataPartInput>> | undefined;
  /**
   * More disks of each worker by name; they come and go with their machine, empty.
   * Effect of a change: roll.
   */
  readonly extra_disks?: Readonly<Record<string, ExtraDiskInput>> | undefined;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drain_timeout_sec?: number | undefined;
}

/** Size of the group. */
export interface ScalingConfigInput {
  /**
   * Number of workers; 0 is fine.
   * Effect of a change: in place.
   */
  readonly desired_size: number;
  /**
   * Bound of desired_size from below.
   * @default 0
   * Effect of a change: in place.
   */
  readonly min_size?: number | undefined;
  /**
   * Bound of desired_size from above.
   * @default 1000
   * Effect of a change: in place.
   */
  readonly max_size?: number | undefined;
}

/** Keeps pods away that do not tolerate it. */
export interface TaintInput {
  /** Key, such as "dedicated". */
  readonly key: string;
  /**
   * Value.
   * @default ""
   */
  readonly value?: string | undefined;
  /** What it does. */
  readonly effect: "NO_SCHEDULE" | "PREFER_NO_SCHEDULE" | "NO_EXECUTE";
}

/** How many workers of the group move to a new release at a time. */
export interface UpdateConfigInput {
  /**
   * Workers that are replaced at a time, each by a new one that is Ready before it goes.
   * @default 1
   * Effect of a change: in place.
   */
  readonly max_surge?: number | undefined;
}

/** A disk beside the root disk. */
export interface ExtraDiskInput {
  /**
   * Size in GiB.
   * Effect of a change: roll.
   */
  readonly size_gib: number;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: roll.
   */
  readonly type?: string | undefined;
}

/** A cluster as the user asks for it. */
export interface ClusterSpec {
  /**
   * Name of the cluster: first part of every node's and block's name.
   * Effect of a change: replace.
   */
  readonly name: string;
  /**
   * Kubernetes version, such as "1.36.3". Up by one minor at most, never down. No default: an update of this package must not upgrade a cluster.
   * Effect of a change: roll.
   */
  readonly version: string;
  /**
   * Generation of the boot stage that machines run. Raise it to roll all machines to the kit's newest.
   * @default 1
   * Effect of a change: roll.
   */
  readonly template_epoch: number;
  /**
   * Where the machines are: exactly one cloud.
   * Effect of a change: replace.
   */
  readonly iaas: IaasSpec;
  /** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
  readonly access: AccessSpec;
  /** The machines' network. */
  readonly vpc_config: VpcConfigSpec;
  /** Networks inside the cluster. */
  readonly kubernetes_network_config: KubernetesNetworkConfigSpec;
  /** The machines that run etcd and the API servers. */
  readonly control_plane: ControlPlaneSpec;
  /** How machines move to a new release. */
  readonly upgrade_policy: UpgradePolicySpec;
  /** Life times of what the cluster's own authorities issue. */
  readonly certificates: CertificatesSpec;
  /** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
  readonly backup: BackupSpec;
  /** Where machines get what their image does not hold. */
  readonly mirror: MirrorSpec;
  /** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
  readonly restore: RestoreSpec | null;
  /**
   * Tags of everything that the cluster has in the cloud.
   * Effect of a change: in place.
   */
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Makes the plan of a destroy fail. Set it to false and apply before a destroy.
   * @default true
   * Effect of a change: in place.
   */
  readonly deletion_protection: boolean;
  /** What a destroy does beside taking the blocks away. */
  readonly on_destroy: OnDestroySpec;
  /** Groups of workers by name. */
  readonly node_groups: Readonly<Record<string, NodeGroupSpec>>;
}

/**
 * Where the machines are: exactly one cloud.
 * Effect of a change: replace.
 */
export interface IaasSpec {
  /** Machines are containers of a Docker engine. */
  readonly local: LocalSpec | null;
  /** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
  readonly openstack: OpenstackSpec | null;
  /** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
  readonly aws: AwsSpec | null;
  /** K2 Cloud. Who signs in is said by the provider's own settings. */
  readonly k2: K2Spec | null;
  /** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
  readonly hcloud: HcloudSpec | null;
  /** No cloud: every block is a null_resource, so that the whole plan can be read without an account. */
  readonly preview: Readonly<Record<string, never>> | null;
}

/** Machines are containers of a Docker engine. */
export interface LocalSpec {
  /**
   * Port on the engine's host at which the API is reached.
   * @default - 20000 to 29999, by the cluster's name
   * Effect of a change: in place.
   */
  readonly published_port: number;
  /**
   * Address of the engine's host that the port is published on.
   * @default "127.0.0.1"
   * Effect of a change: in place.
   */
  readonly published_address: string;
  /**
   * Whether the machines' network has no way out.
   * @default true
   * Effect of a change: replace.
   */
  readonly internal: boolean;
  /**
   * Largest packet of the machines' network, in bytes.
   * Effect of a change: replace.
   */
  readonly mtu: number | null;
}

/** OpenStack: Nova, Neutron, Cinder and Octavia. Who signs in is said by the provider's own settings (OS_CLOUD and its kin). */
export interface OpenstackSpec {
  /**
   * Name of the network that floating IPs and the router's way out come from. Needed for a public endpoint and for egress "nat".
   * Effect of a change: replace.
   */
  readonly external_network: string | null;
  /**
   * Region. Left out: the one of the provider's own settings.
   * Effect of a change: replace.
   */
  readonly region: string | null;
}

/** Amazon Web Services. Who signs in is said by the provider's own settings (AWS_PROFILE and its kin). */
export interface AwsSpec {
  /**
   * Region, "eu-central-1".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** K2 Cloud. Who signs in is said by the provider's own settings. */
export interface K2Spec {
  /**
   * Region, "ru-msk".
   * Effect of a change: replace.
   */
  readonly region: string;
}

/** Hetzner Cloud. Zones are its locations ("fsn1"). Who signs in is said by the provider's own settings (HCLOUD_TOKEN). */
export interface HcloudSpec {
  /**
   * Network zone; all locations have to lie in it.
   * @default "eu-central"
   * Effect of a change: replace.
   */
  readonly network_zone: string;
  /**
   * Type of the endpoint's balancer.
   * @default "lb11"
   * Effect of a change: in place.
   */
  readonly balancer_type: string;
  /**
   * What a public endpoint is. "balancer": open to the whole world, since a balancer of Hetzner asks nobody who he is. "control_planes": each has a public address that stays, and their firewall opens it for public_access_cidrs; needs access.endpoint. Decided at birth.
   * @default "balancer"
   * Effect of a change: replace.
   */
  readonly public_endpoint: "balancer" | "control_planes";
  /**
   * Names of keys that new servers take. A change holds for servers made from then on.
   * Effect of a change: in place.
   */
  readonly ssh_keys: readonly string[];
}

/** How the machine that runs Terraform reaches the Kubernetes API, where that differs from what the cloud gives. */
export interface AccessSpec {
  /**
   * URL of the API, "https://host:port". Its host goes into the API server's certificate, so a change rolls the control plane. Left out: local: the published port; elsewhere the endpoint's public address, or its private one where there is none.
   * Effect of a change: roll.
   */
  readonly endpoint: string | null;
  /**
   * Name that the API's certificate is checked against, where it is another than the host of the endpoint. Left out: local: none; elsewhere the name by which nodes know the API, which is in every certificate.
   * Effect of a change: in place.
   */
  readonly server_name: string | null;
  /**
   * More host names and addresses for the API server's certificate.
   * Effect of a change: roll.
   */
  readonly cert_names: readonly string[];
}

/** The machines' network. */
export interface VpcConfigSpec {
  /**
   * IPv4 range of the machines, /8 to /27; with subnets the range around them. Of one subnet its tenth address is the API's, the next five are the control planes'.
   * @default - local: 10.98.N.0/24, N by the cluster's name; elsewhere 10.98.0.0/16
   * Effect of a change: replace.
   */
  readonly cidr: string;
  /**
   * Subnets by zone, where a subnet of the cloud lies in one zone (aws, k2). Elsewhere there is one, which is all of cidr.
   * Effect of a change: replace.
   */
  readonly subnets: Readonly<Record<string, SubnetSpec>>;
  /**
   * An existing network, in the cloud's words. Nothing of it is changed; routes and the way out are its owner's. cidr has to be said.
   * Effect of a change: replace.
   */
  readonly network_id: string | null;
  /**
   * An existing subnet of network_id, where the cluster has one subnet; its range is cidr. Left out: a new one in it.
   * Effect of a change: replace.
   */
  readonly subnet_id: string | null;
  /**
   * Existing groups of firewall rules that all machines are in beside the cluster's own.
   * Effect of a change: in place.
   */
  readonly security_group_ids: readonly string[];
  /**
   * "managed": the cluster has firewall rules of its own. "own": none are made, and security_group_ids have to open what docs/clouds lists.
   * @default "managed"
   * Effect of a change: in place.
   */
  readonly firewall: "managed" | "own";
  /**
   * More rules by name, each a resource of its own.
   * Effect of a change: in place.
   */
  readonly security_rules: Readonly<Record<string, SecurityRuleSpec>>;
  /**
   * How machines reach the world. "none": not at all, mirrors are inside. "nat": by one gateway of the cloud. "nat_per_zone": by one in each zone. "public": each has a public address, at which nothing comes in. With network_id only "none" (the network's own routes) and "public".
   * @default - local: none, see iaas.local.internal; with network_id: none; hcloud: public; elsewhere nat
   * Effect of a change: in place.
   */
  readonly egress: "none" | "nat" | "nat_per_zone" | "public";
  /**
   * Whether the API is reached from the world, by those in public_access_cidrs.
   * @default - true when public_access_cidrs has any
   * Effect of a change: in place.
   */
  readonly endpoint_public_access: boolean;
  /**
   * Whether others in the machines' network than the cluster's own machines reach the API by its private address.
   * @default true
   * Effect of a change: in place.
   */
  readonly endpoint_private_access: boolean;
  /**
   * Ranges of the world that reach the API. No others do.
   * Effect of a change: in place.
   */
  readonly public_access_cidrs: readonly string[];
  /**
   * Existing public addresses for the endpoint, in the cloud's words: OpenStack: a floating IP; aws, k2: allocation ids, one for each zone with a public subnet, in the order of their names. They stay when the cluster goes.
   * Effect of a change: in place.
   */
  readonly endpoint_public_addresses: readonly string[];
  /**
   * Which address of a subnet is the endpoint's; the next five are control planes'. For existing subnets in which others have the first ones.
   * @default 10
   * Effect of a change: replace.
   */
  readonly address_offset: number;
}

/** Subnets of one zone. */
export interface SubnetSpec {
  /**
   * Range of the machines there, /8 to /27.
   * Effect of a change: replace.
   */
  readonly cidr: string;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly id: string | null;
  /**
   * Range for what faces the world there (public endpoint, NAT gateway), /8 to /28; no machine is in it.
   * Effect of a change: replace.
   */
  readonly public_cidr: string | null;
  /**
   * An existing subnet of that range, which stays as it is.
   * Effect of a change: replace.
   */
  readonly public_id: string | null;
}

/** Who else may reach machines. */
export interface SecurityRuleSpec {
  /**
   * Whom it opens.
   * Effect of a change: in place.
   */
  readonly to: "control-plane" | "worker" | "all";
  /**
   * Protocol.
   * Effect of a change: in place.
   */
  readonly protocol: "tcp" | "udp" | "icmp";
  /**
   * First port; icmp has none.
   * Effect of a change: in place.
   */
  readonly from_port: number | null;
  /**
   * Last port. Left out: only the first.
   * Effect of a change: in place.
   */
  readonly to_port: number | null;
  /**
   * From where.
   * Effect of a change: in place.
   */
  readonly cidr: string;
  /**
   * Why; the rule's description.
   * Effect of a change: in place.
   */
  readonly reason: string;
}

/** Networks inside the cluster. */
export interface KubernetesNetworkConfigSpec {
  /**
   * IPv4 range of pods.
   * @default "10.244.0.0/16"
   * Effect of a change: replace.
   */
  readonly pod_ipv4_cidr: string;
  /**
   * IPv4 range of services, /12 to /24. Its tenth address is the cluster's DNS.
   * @default "10.96.0.0/16"
   * Effect of a change: replace.
   */
  readonly service_ipv4_cidr: string;
  /**
   * Size of one node's part of the pod range, as a prefix length.
   * @default 24
   * Effect of a change: roll.
   */
  readonly node_cidr_mask: number;
  /**
   * Pod network: "kube-router", or "none" when you bring your own.
   * @default "kube-router"
   * Effect of a change: in place.
   */
  readonly cni: "kube-router" | "none";
}

/** The machines that run etcd and the API servers. */
export interface ControlPlaneSpec {
  /**
   * Number of control planes. An even number has no more tolerance than the odd one below it.
   * @default 1
   * Effect of a change: in place.
   */
  readonly replicas: 1 | 3 | 5;
  /**
   * Machine type, in the cloud's words.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instance_type: string;
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image: string;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly disk_size: number | null;
  /**
   * Zones that control planes spread over, in this order. Append new ones: an etcd disk cannot change its zone.
   * @default - local: a; required on clouds
   * Effect of a change: replace.
   */
  readonly zones: readonly string[];
  /** The disk of one etcd member. */
  readonly etcd_volume: EtcdVolumeSpec;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly component_flags: Readonly<Record<string, string>>;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly user_data_parts: Readonly<Record<string, UserDataPartSpec>>;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drain_timeout_sec: number;
  /**
   * Whether machines of all roles mend what they find broken on themselves (kubelet, containerd, etcd, etcd without space), or only report it.
   * @default true
   * Effect of a change: in place.
   */
  readonly self_heal: boolean;
}

/** The disk of one etcd member. */
export interface EtcdVolumeSpec {
  /**
   * Size in GiB.
   * @default 8
   * Effect of a change: replace.
   */
  readonly size_gib: number;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: replace.
   */
  readonly type: string | null;
  /**
   * Operations a second that are paid for.
   * Effect of a change: in place.
   */
  readonly iops: number | null;
}

/** One part. */
export interface UserDataPartSpec {
  /**
   * What cloud-init does with it.
   * Effect of a change: roll.
   */
  readonly content_type: "text/cloud-config" | "text/x-shellscript" | "text/cloud-boothook";
  /**
   * The part.
   * Effect of a change: roll.
   */
  readonly content: string;
}

/** How machines move to a new release. */
export interface UpgradePolicySpec {
  /**
   * "one_per_apply": one control plane moves in an apply. "in_one_apply": all of them, one after another; only when nothing that they share changes with them.
   * @default "one_per_apply"
   * Effect of a change: in place.
   */
  readonly roll: "one_per_apply" | "in_one_apply";
  /** When machines may move to a new release. Left out: always. */
  readonly maintenance_window: MaintenanceWindowSpec | null;
}

/** When machines may move to a new release. Left out: always. */
export interface MaintenanceWindowSpec {
  /**
   * Days on which the window opens.
   * @default ["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]
   * Effect of a change: in place.
   */
  readonly days: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
  /**
   * Hour at which it opens, 0 to 23.
   * Effect of a change: in place.
   */
  readonly hour: number;
  /**
   * Hours that it stays open.
   * Effect of a change: in place.
   */
  readonly duration_hours: number;
  /**
   * Time zone, such as "Europe/Berlin".
   * @default "UTC"
   * Effect of a change: in place.
   */
  readonly timezone: string;
}

/** Life times of what the cluster's own authorities issue. */
export interface CertificatesSpec {
  /**
   * Life of the authorities, in hours.
   * @default 87600
   * Effect of a change: replace.
   */
  readonly ca_hours: number;
  /**
   * Life of the certificates of nodes and components, such as "8760h" or "90m": from 3m to the authorities' own. They are renewed on the machines.
   * @default "8760h"
   * Effect of a change: in place.
   */
  readonly lifetime: string;
  /**
   * How long before its end a certificate is renewed: 1m at least, and less than lifetime. A kubelet renews its own when 10 to 30 % of their life is left.
   * @default - a third of lifetime
   * Effect of a change: in place.
   */
  readonly renew_before: string;
  /**
   * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
   * Effect of a change: in place.
   */
  readonly rotation: RotationSpec | null;
  /**
   * Minutes that a first apply has to bring the control plane to life.
   * @default 180
   * Effect of a change: in place.
   */
  readonly ticket_minutes: number;
}

/**
 * Rotation of the authorities: three states, each applied before the next. It stays when it is done. Left out: the cluster's first authorities.
 * Effect of a change: in place.
 */
export interface RotationSpec {
  /**
   * 1 for the cluster's first rotation, then one more each time.
   * Effect of a change: in place.
   */
  readonly number: number;
  /**
   * "create": new authorities are trusted beside the old ones. "promote": they sign, and machines move to boot documents with them. "retire": the old ones are forgotten.
   * Effect of a change: in place.
   */
  readonly state: "create" | "promote" | "retire";
}

/** Snapshots of etcd: on the disk of each control plane, and sealed at a target of yours. */
export interface BackupSpec {
  /**
   * Time between two snapshots of a control plane, such as "6h": 1m to 168h; "off" for none. Each control plane has a turn of its own.
   * @default "6h"
   * Effect of a change: in place.
   */
  readonly schedule: string;
  /**
   * How many snapshots stay on each etcd disk; the oldest go first.
   * @default 8
   * Effect of a change: in place.
   */
  readonly keep: number;
  /**
   * Time between two trials of a restore, such as "24h": 1m to 720h; "off" for none. The newest snapshot goes into an etcd of its own, and its objects are counted.
   * @default "24h"
   * Effect of a change: in place.
   */
  readonly drill_every: string;
  /** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
  readonly target: TargetSpec | null;
}

/** Where one control plane sends a sealed copy of its newest snapshot. Left out: nowhere, and with all etcd disks the cluster is lost. */
export interface TargetSpec {
  /** A bucket of any server that speaks S3. */
  readonly s3: S3Spec;
  /**
   * Seals everything that leaves the cluster; 16 characters at least; may be a reference to a sensitive variable. Without it no copy can be opened: keep it elsewhere.
   * Effect of a change: in place.
   */
  readonly passphrase: string;
  /**
   * How many snapshots stay there; the oldest go first.
   * @default 30
   * Effect of a change: in place.
   */
  readonly keep: number;
}

/** A bucket of any server that speaks S3. */
export interface S3Spec {
  /**
   * URL of the server as control planes reach it, "https://s3.example.com", without a path.
   * Effect of a change: in place.
   */
  readonly endpoint: string;
  /**
   * Name of the bucket, which exists.
   * Effect of a change: in place.
   */
  readonly bucket: string;
  /**
   * What the names of all objects begin with, "clusters/".
   * @default ""
   * Effect of a change: in place.
   */
  readonly prefix: string;
  /**
   * Region that requests are signed for.
   * @default "us-east-1"
   * Effect of a change: in place.
   */
  readonly region: string;
  /**
   * Key that control planes use there; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly access_key_id: string;
  /**
   * Its secret; may be a reference to a sensitive variable.
   * Effect of a change: in place.
   */
  readonly secret_access_key: string;
  /**
   * PEM certificates that the server's own is checked against.
   * Effect of a change: in place.
   */
  readonly ca: string | null;
}

/** Where machines get what their image does not hold. */
export interface MirrorSpec {
  /**
   * URL of a folder with the layout of the upstream release sites.
   * Effect of a change: roll.
   */
  readonly binaries: string | null;
  /**
   * URL of a registry that has the container images.
   * Effect of a change: roll.
   */
  readonly images: string | null;
  /**
   * PEM certificate that both are checked against.
   * Effect of a change: roll.
   */
  readonly ca: string | null;
}

/** Takes the cluster back to a snapshot of etcd when its number is raised: all control planes at once, and what was written after the snapshot is lost. honest-paas snapshot restore prints it. Number and sha256 stay when it is done, the others may go. */
export interface RestoreSpec {
  /**
   * Which restore it is: 1 for the first, one more for each further one, also for one that did not work. Never lowered.
   * Effect of a change: roll.
   */
  readonly number: number;
  /**
   * sha256 of the snapshot's file as it is fetched.
   * Effect of a change: roll.
   */
  readonly sha256: string;
  /**
   * Where control planes fetch it; a presigned URL will do.
   * Effect of a change: in place.
   */
  readonly url: string | null;
  /**
   * Passphrase of a sealed snapshot. Left out: the file is not sealed.
   * Effect of a change: in place.
   */
  readonly passphrase: string | null;
  /**
   * Until when control planes may go back to it, at most a week ahead. After that a machine that is made anew does not, even when all disks are lost.
   * Effect of a change: in place.
   */
  readonly not_after: string | null;
}

/** What a destroy does beside taking the blocks away. */
export interface OnDestroySpec {
  /**
   * "keep" or "delete": volumes that Kubernetes made.
   * @default "keep"
   * Effect of a change: in place.
   */
  readonly volumes: "keep" | "delete";
}

/** A group of workers of one kind. */
export interface NodeGroupSpec {
  /** Size of the group. */
  readonly scaling_config: ScalingConfigSpec;
  /**
   * Machine types, the first one preferred.
   * @default - local: local.cpu2.mem2048; required on clouds
   * Effect of a change: roll.
   */
  readonly instance_types: readonly string[];
  /**
   * Machine image, in the cloud's words.
   * @default - local: the kit's own image of the version; required on clouds
   * Effect of a change: roll.
   */
  readonly image: string;
  /**
   * Root disk in GiB.
   * Effect of a change: roll.
   */
  readonly disk_size: number | null;
  /**
   * How machines are paid for.
   * @default "ON_DEMAND"
   * Effect of a change: roll.
   */
  readonly capacity_type: "ON_DEMAND" | "SPOT";
  /**
   * Kubernetes version of the workers: not above the control plane's, at most three minors below.
   * @default - the control plane's version
   * Effect of a change: roll.
   */
  readonly version: string;
  /**
   * Zones that workers spread over, in this order. Append new ones, so that they only add machines.
   * @default - the control plane's zones
   * Effect of a change: in place.
   */
  readonly zones: readonly string[];
  /**
   * Labels of the nodes.
   * Effect of a change: in place.
   */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Taints of the nodes.
   * Effect of a change: in place.
   */
  readonly taint: readonly TaintSpec[];
  /** How many workers of the group move to a new release at a time. */
  readonly update_config: UpdateConfigSpec;
  /**
   * Flags of components, "kubelet.max-pods": "50".
   * Effect of a change: roll.
   */
  readonly component_flags: Readonly<Record<string, string>>;
  /**
   * More parts of the machines' user-data by file name; cloud-init takes them after the kit's own. They stand in plan and state, so that no secret belongs into them.
   * Effect of a change: roll.
   */
  readonly user_data_parts: Readonly<Record<string, UserDataPartSpec>>;
  /**
   * More disks of each worker by name; they come and go with their machine, empty.
   * Effect of a change: roll.
   */
  readonly extra_disks: Readonly<Record<string, ExtraDiskSpec>>;
  /**
   * Seconds that pods get to leave a node before taking it down fails.
   * @default 600
   * Effect of a change: in place.
   */
  readonly drain_timeout_sec: number;
}

/** Size of the group. */
export interface ScalingConfigSpec {
  /**
   * Number of workers; 0 is fine.
   * Effect of a change: in place.
   */
  readonly desired_size: number;
  /**
   * Bound of desired_size from below.
   * @default 0
   * Effect of a change: in place.
   */
  readonly min_size: number;
  /**
   * Bound of desired_size from above.
   * @default 1000
   * Effect of a change: in place.
   */
  readonly max_size: number;
}

/** Keeps pods away that do not tolerate it. */
export interface TaintSpec {
  /** Key, such as "dedicated". */
  readonly key: string;
  /**
   * Value.
   * @default ""
   */
  readonly value: string;
  /** What it does. */
  readonly effect: "NO_SCHEDULE" | "PREFER_NO_SCHEDULE" | "NO_EXECUTE";
}

/** How many workers of the group move to a new release at a time. */
export interface UpdateConfigSpec {
  /**
   * Workers that are replaced at a time, each by a new one that is Ready before it goes.
   * @default 1
   * Effect of a change: in place.
   */
  readonly max_surge: number;
}

/** A disk beside the root disk. */
export interface ExtraDiskSpec {
  /**
   * Size in GiB.
   * Effect of a change: roll.
   */
  readonly size_gib: number;
  /**
   * Volume type, in the cloud's words.
   * Effect of a change: roll.
   */
  readonly type: string | null;
}
