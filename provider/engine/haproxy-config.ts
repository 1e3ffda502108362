// The balancer's configuration as text. Its first line carries what it was made of as JSON: that is how a read tells what
// is really balanced, whatever the state says.

export interface Listener {
  readonly port: number;
  /** name → "address:port" */
  readonly backends: Readonly<Record<string, string>>;
}

const sorted = (backends: Listener["backends"]): readonly (readonly [string, string])[] =>
  Object.entries(backends).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

export function renderHaproxy(listener: Listener): string {
  const servers = sorted(listener.backends).map(([name, address]) => `  server ${name} ${address} check check-ssl verify none`);
  return `# honest: ${JSON.stringify({ port: listener.port, backends: Object.fromEntries(sorted(listener.backends)) })}
global
  log stdout format raw local0 notice
  maxconn 4096
  stats socket /run/haproxy.sock mode 600 level admin
  # A process that a reload has replaced may keep its connections for so long.
  hard-stop-after 1h

defaults
  mode tcp
  log global
  option tcplog
  option dontlognull
  # A machine that has vanished answers nothing at all: try another one soon, not the same again.
  timeout connect 1s
  retries 3
  option redispatch 1
  # Watches are idle for long.
  timeout client 1h
  timeout server 1h
  timeout check 2s

frontend api
  bind :${listener.port}
  default_backend api

backend api
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

/** null when the text is not ours. */
export function parseHaproxy(text: string): Listener | null {
  const [, json] = /^# honest: (\{.*\})$/m.exec(text) ?? [];
  return json ? (JSON.parse(json) as Listener) : null;
}
