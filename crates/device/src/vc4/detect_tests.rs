//! A gallery of machines: what detection says about each, in words.

use super::detect::*;
use std::collections::BTreeMap;
use std::io;

/// Files of a machine, by path; devices by what opening them gives.
#[derive(Default, Clone)]
struct Fake {
    files: BTreeMap<&'static str, Vec<u8>>,
    folders: BTreeMap<&'static str, Vec<&'static str>>,
    devices: BTreeMap<&'static str, Option<io::ErrorKind>>,
}

impl Files for Fake {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let names = self.folders.get(path).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(names.iter().map(|n| n.to_string()).collect())
    }

    fn open(&self, path: &str) -> io::Result<()> {
        match self.devices.get(path) {
            Some(None) => Ok(()),
            Some(Some(kind)) => Err((*kind).into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn group(&self, path: &str) -> Option<String> {
        match path {
            VCIO => Some("video".to_string()),
            _ => Some("kmem".to_string()),
        }
    }
}

impl Fake {
    fn file(mut self, path: &'static str, contents: impl AsRef<[u8]>) -> Fake {
        self.files.insert(path, contents.as_ref().to_vec());
        self
    }

    fn device(mut self, path: &'static str, result: Option<io::ErrorKind>) -> Fake {
        self.devices.insert(path, result);
        self
    }

    /// The device tree of a board.
    fn board(model: &str, chip: &str) -> Fake {
        Fake::default()
            .file("/proc/device-tree/model", format!("{model}\0"))
            .file("/proc/device-tree/compatible", format!("raspberrypi,board\0brcm,{chip}\0"))
    }

    /// A Pi 3 on which everything is as it must be.
    fn ready() -> Fake {
        let mut ranges = Vec::new();
        for word in [0x7e00_0000_u32, 0x3f00_0000, 0x0100_0000, 0x4000_0000, 0x4000_0000, 0x1000] {
            ranges.extend(word.to_be_bytes());
        }
        Fake::board("Raspberry Pi 3 Model B Rev 1.2", "bcm2837")
            .file("/proc/device-tree/soc/ranges", ranges)
            .file("/proc/modules", "vcio 16384 0 - Live 0x0000000000000000\n")
            .device(VCIO, None)
            .device(MEM, None)
    }

    fn reason(&self) -> String {
        diagnostic(&look(self).unwrap_err()).render(false)
    }
}

#[test]
fn boards_with_a_videocore_iv_are_known() {
    let machine = look(&Fake::ready()).unwrap();
    assert_eq!((machine.soc, machine.v3d()), (Soc::Bcm2837, 0x3fc0_0000));
    assert_eq!(machine.model, "Raspberry Pi 3 Model B Rev 1.2");
    for (chip, soc, v3d) in [
        ("bcm2835", Soc::Bcm2835, 0x20c0_0000),
        ("bcm2708", Soc::Bcm2835, 0x20c0_0000),
        ("bcm2709", Soc::Bcm2836, 0x3fc0_0000),
        ("bcm2836", Soc::Bcm2836, 0x3fc0_0000),
        ("bcm2710", Soc::Bcm2837, 0x3fc0_0000),
    ] {
        let machine = look(&Fake::board("x", chip).device(VCIO, None).device(MEM, None)).unwrap();
        assert_eq!((machine.soc, machine.v3d()), (soc, v3d), "{chip}");
    }
    // The tree's word on addresses comes before the table's.
    let moved = [0x7e00_0000_u32, 0x1000_0000, 1].map(u32::to_be_bytes).concat();
    assert_eq!(look(&Fake::ready().file("/proc/device-tree/soc/ranges", moved)).unwrap().v3d(), 0x10c0_0000);
}

#[test]
fn without_a_device_tree_the_revision_tells() {
    let with = |revision: &str| {
        let info = format!("processor\t: 0\nHardware\t: BCM2835\nRevision\t: {revision}\nSerial\t\t: 0\n");
        look(&Fake::default().file("/proc/cpuinfo", info).device(VCIO, None).device(MEM, None))
    };
    assert_eq!(with("000e").unwrap().soc, Soc::Bcm2835);
    assert_eq!(with("1000010").unwrap().soc, Soc::Bcm2835);
    assert_eq!(with("9000c1").unwrap().soc, Soc::Bcm2835);
    assert_eq!(with("a01041").unwrap().soc, Soc::Bcm2836);
    assert_eq!(with("a02082").unwrap().soc, Soc::Bcm2837);
    assert!(matches!(with("c03111").unwrap_err()[..], [Obstacle::OtherGpu { gpu: LaterGpu::VideoCoreVi, .. }]));
    assert!(matches!(with("d04170").unwrap_err()[..], [Obstacle::OtherGpu { gpu: LaterGpu::VideoCoreVii, .. }]));
    assert!(matches!(with("ffffff").unwrap_err()[..], [Obstacle::NotAPi(None)]));
    assert!(matches!(with("what").unwrap_err()[..], [Obstacle::NotAPi(None)]));
}

#[test]
fn other_machines_are_told_what_they_are() {
    insta::assert_snapshot!(Fake::default().file("/proc/cpuinfo", "vendor_id\t: GenuineIntel\n").reason(), @"
    error[E0710]: device `vc4` cannot be used: this machine is not a Raspberry Pi
     |
     = help: use `emu`, which emulates a Raspberry Pi's GPU exactly
    ");
    insta::assert_snapshot!(Fake::board("Raspberry Pi 4 Model B Rev 1.5", "bcm2711").reason(), @"
    error[E0711]: device `vc4` cannot be used: Raspberry Pi 4 Model B Rev 1.5 has a VideoCore VI, which runs other programs than the VideoCore IV of Pi 0 to 3
     |
     = help: its 8 QPUs (500 MHz) take programs through the kernel's `v3d` driver and through Vulkan; kernels for the VideoCore IV run here on `emu`
    ");
    insta::assert_snapshot!(Fake::board("Raspberry Pi 5 Model B Rev 1.0", "bcm2712").reason(), @"
    error[E0711]: device `vc4` cannot be used: Raspberry Pi 5 Model B Rev 1.0 has a VideoCore VII, which runs other programs than the VideoCore IV of Pi 0 to 3
     |
     = help: its 12 QPUs (800 MHz or more) take programs through the kernel's `v3d` driver and through Vulkan; kernels for the VideoCore IV run here on `emu`
    ");
    let jetson = Fake::default()
        .file("/proc/device-tree/model", "NVIDIA Jetson Nano\0")
        .file("/proc/device-tree/compatible", "nvidia,p3450\0nvidia,tegra210\0");
    insta::assert_snapshot!(jetson.reason(), @"
    error[E0710]: device `vc4` cannot be used: this machine is not a Raspberry Pi but `NVIDIA Jetson Nano`
     |
     = help: use `emu`, which emulates a Raspberry Pi's GPU exactly
    ");
}

#[test]
fn the_line_that_gives_the_gpu_away_is_named() {
    let config = "# see documentation\n[pi4]\ndtoverlay=vc4-kms-v3d,cma-512\n[all]\n#dtoverlay=vc4-kms-v3d\n  \
                  dtoverlay=vc4-fkms-v3d\nmax_framebuffers=2\n";
    let mut fake = Fake::ready().file("/boot/firmware/config.txt", config);
    fake.folders.insert("/sys/bus/platform/drivers/vc4_v3d", vec!["bind", "3fc00000.v3d", "uevent"]);
    assert_eq!(look(&fake).unwrap_err().len(), 1);
    insta::assert_snapshot!(fake.reason(), @"
    error[E0712]: device `vc4` cannot be used: the Linux driver owns the GPU because of line 6 of /boot/firmware/config.txt: `dtoverlay=vc4-fkms-v3d`
     |
     = help: put `#` before line 6 of /boot/firmware/config.txt and reboot; graphics are then without 3D acceleration
    ");
    // On older systems the file is elsewhere.
    fake.files.remove("/boot/firmware/config.txt");
    let fake = fake.file("/boot/config.txt", "dtoverlay=vc4-kms-v3d\n");
    assert!(fake.reason().contains("line 1 of /boot/config.txt"));
    let fake = fake.file("/boot/config.txt", "include extra.txt\n");
    insta::assert_snapshot!(fake.reason(), @"
    error[E0712]: device `vc4` cannot be used: the Linux driver `vc4` owns the GPU
     |
     = help: remove `dtoverlay=vc4-kms-v3d` or `dtoverlay=vc4-fkms-v3d` from /boot/firmware/config.txt (or /boot/config.txt) and the files it includes, then reboot
    ");
}

#[test]
fn a_loaded_driver_that_has_not_bound_the_gpu_is_no_obstacle() {
    let status = "/proc/device-tree/soc/v3d@7ec00000/status";
    let loaded = Fake::ready().file("/proc/modules", "drm 1 2 vc4,x, Live 0\nvc4 274432 7 - Live 0x00000000\n");
    assert!(look(&loaded.clone().file(status, "disabled\0")).is_ok());
    assert_eq!(look(&loaded.file(status, "okay\0")).unwrap_err(), [Obstacle::DriverOwnsGpu(None)]);
    assert!(look(&Fake::ready().file(status, "okay\0")).is_ok());
}

#[test]
fn permissions_are_named_with_the_way_to_get_them() {
    let denied = Some(io::ErrorKind::PermissionDenied);
    insta::assert_snapshot!(Fake::ready().device(VCIO, denied).device(MEM, denied).reason(), @"
    error[E0713]: device `vc4` cannot be used: no permission to open /dev/vcio
     |
     = note: also, no permission to open /dev/mem
     = help: run it with `sudo`, or join the group with `sudo usermod -aG video $USER` and log in anew
     = help: run it with `sudo`: only root may
    ");
    insta::assert_snapshot!(Fake::ready().device(MEM, denied).reason(), @"
    error[E0713]: device `vc4` cannot be used: no permission to open /dev/mem
     |
     = help: run it with `sudo`: only root may
    ");
    let mut fake = Fake::ready();
    fake.devices.remove(VCIO);
    insta::assert_snapshot!(fake.reason(), @"
    error[E0714]: device `vc4` cannot be used: /dev/vcio does not exist
     |
     = help: use the kernel of Raspberry Pi OS, which has the module `vcio`; in a container, pass the device on
    ");
    let fake = Fake::ready().device(MEM, Some(io::ErrorKind::Unsupported));
    assert!(matches!(&look(&fake).unwrap_err()[..], [Obstacle::CannotOpen { file: MEM, .. }]));
}

#[test]
fn everything_that_is_in_the_way_is_said_at_once() {
    let mut fake = Fake::ready()
        .file("/boot/config.txt", "dtoverlay=vc4-kms-v3d\n")
        .device(MEM, Some(io::ErrorKind::PermissionDenied));
    fake.folders.insert("/sys/bus/platform/drivers/vc4_v3d", vec!["3fc00000.v3d"]);
    insta::assert_snapshot!(fake.reason(), @"
    error[E0712]: device `vc4` cannot be used: the Linux driver owns the GPU because of line 1 of /boot/config.txt: `dtoverlay=vc4-kms-v3d`
     |
     = note: also, no permission to open /dev/mem
     = help: put `#` before line 1 of /boot/config.txt and reboot; graphics are then without 3D acceleration
     = help: run it with `sudo`: only root may
    ");
}
