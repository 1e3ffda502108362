"""Cinder's own fake driver grows no volume; one that fails to grow could then not be detached either."""

from cinder.tests import fake_driver


class LabVolumeDriver(fake_driver.FakeLoggingVolumeDriver):
    def extend_volume(self, volume, new_size):
        pass
