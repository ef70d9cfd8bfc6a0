/**
 * The wheels from which an installation takes libraries: exact files of PyPI. pip verifies the hashes; sizes are those
 * of the files and of the libraries inside.
 */

export interface Wheel {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Size of the files that are kept from it. */
  readonly installedBytes: number;
}

/** Everything that one kind of machine needs. */
export interface RuntimeBundle {
  /** Folder name of the installation. */
  readonly id: string;
  /** TensorFlow's version. */
  readonly version: string;
  readonly gpu: boolean;
  /** Value of pip's --python-version. The libraries are the same for all, except on Windows. */
  readonly pythonVersion: string;
  /** Values of pip's --platform. */
  readonly platforms: readonly string[];
  readonly wheels: readonly Wheel[];
  /** Regular expressions, as Python understands them, of the files to keep. */
  readonly keep: readonly string[];
}

const unixKeep = ["tensorflow/libtensorflow_(cc|framework)[.0-9a-z]*"];
const windowsKeep = ["tensorflow/python/_pywrap_tensorflow_common\\.dll"];
const cudaKeep = [...unixKeep, "nvidia/[a-z_]+/lib/lib[^/]+\\.so[.0-9]*"];

const linuxX64: RuntimeBundle = {
  id: "tensorflow-2.21.0-cpu",
  version: "2.21.0",
  gpu: false,
  pythonVersion: "3.12",
  platforms: ["manylinux_2_27_x86_64"],
  keep: unixKeep,
  wheels: [
    {
      name: "tensorflow-cpu",
      version: "2.21.0",
      sha256: "dcc8afd32930e42d5296b6ee19078b773706830af4ea97fbe503b9f5e0f820cb",
      bytes: 274_000_871,
      installedBytes: 853_308_936,
    },
  ],
};

/**
 * The CUDA build with the libraries of its extra `and-cuda`, except nvcc (a compiler for XLA, not a library) and curand
 * (which this TensorFlow does not open).
 */
const linuxX64Cuda: RuntimeBundle = {
  id: "tensorflow-2.21.0-gpu",
  version: "2.21.0",
  gpu: true,
  pythonVersion: "3.12",
  platforms: [
    "manylinux_2_27_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
    "manylinux_2_12_x86_64",
    "manylinux2010_x86_64",
  ],
  keep: cudaKeep,
  wheels: [
    {
      name: "tensorflow",
      version: "2.21.0",
      sha256: "b3b95643c4e70eb925839938fb35cbe142f317ec84af6844ee61513713bb13c0",
      bytes: 572_611_111,
      installedBytes: 1_259_021_080,
    },
    {
      name: "nvidia-cublas-cu12",
      version: "12.9.3.13",
      sha256: "d7d51055f161b317c7105ddaae90e71eda059026074ffef93cf7cde2886bfe72",
      bytes: 581_217_458,
      installedBytes: 855_064_416,
    },
    {
      name: "nvidia-cuda-cupti-cu12",
      version: "12.8.90",
      sha256: "ea0cb07ebda26bb9b29ba82cda34849e73c166c18162d3913575b0c9db9a6182",
      bytes: 10_248_621,
      installedBytes: 41_311_976,
    },
    {
      name: "nvidia-cuda-nvrtc-cu12",
      version: "12.9.86",
      sha256: "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4",
      bytes: 89_568_129,
      installedBytes: 227_340_992,
    },
    {
      name: "nvidia-cuda-runtime-cu12",
      version: "12.9.79",
      sha256: "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
      bytes: 3_493_179,
      installedBytes: 741_088,
    },
    {
      name: "nvidia-cudnn-cu12",
      version: "9.28.0.42",
      sha256: "9ff58b7f36dacd0a93e89f8f2957b52466889217963701daa15e577317cfa375",
      bytes: 716_538_495,
      installedBytes: 1_162_393_472,
    },
    {
      name: "nvidia-cufft-cu12",
      version: "11.4.1.4",
      sha256: "c67884f2a7d276b4b80eb56a79322a95df592ae5e765cf1243693365ccab4e28",
      bytes: 200_877_592,
      installedBytes: 293_609_416,
    },
    {
      name: "nvidia-cusolver-cu12",
      version: "11.7.5.82",
      sha256: "15da72d1340d29b5b3cf3fd100e3cd53421dde36002eda6ed93811af63c40d88",
      bytes: 338_117_415,
      installedBytes: 494_975_064,
    },
    {
      name: "nvidia-cusparse-cu12",
      version: "12.5.10.65",
      sha256: "73060ce019ac064a057267c585bf1fd5a353734151f87472ff02b2c5c9984e78",
      bytes: 366_465_088,
      installedBytes: 486_556_368,
    },
    {
      name: "nvidia-nccl-cu12",
      version: "2.32.3",
      sha256: "bb94b2348e4861d5e8aa00b36c3d12d9bdf9c6369b82cbb723de0b582280a21c",
      bytes: 351_526_311,
      installedBytes: 473_614_536,
    },
    {
      name: "nvidia-nvjitlink-cu12",
      version: "12.9.86",
      sha256: "e3f1171dbdc83c5932a45f0f4c99180a70de9bd2718c1ab77d14104f6d7147f9",
      bytes: 39_748_338,
      installedBytes: 95_935_344,
    },
  ],
};

const linuxArm64: RuntimeBundle = {
  ...linuxX64,
  platforms: ["manylinux_2_27_aarch64"],
  wheels: [
    {
      name: "tensorflow",
      version: "2.21.0",
      sha256: "b07d15737406533898e36c7ef7944b1be18e9028dc521b9229952c537bbc5552",
      bytes: 281_946_471,
      installedBytes: 883_062_208,
    },
  ],
};

const macArm64: RuntimeBundle = {
  ...linuxX64,
  platforms: ["macosx_12_0_arm64"],
  wheels: [
    {
      name: "tensorflow",
      version: "2.21.0",
      sha256: "56ecd7d47429acbe1df2694d50b75bf9fc3995ac92cb367cd9af6c4780ead712",
      bytes: 223_488_205,
      installedBytes: 740_805_624,
    },
  ],
};

/** 2.16.2 is the last version for Intel Macs. */
const macX64: RuntimeBundle = {
  ...linuxX64,
  id: "tensorflow-2.16.2-cpu",
  version: "2.16.2",
  platforms: ["macosx_10_15_x86_64"],
  wheels: [
    {
      name: "tensorflow",
      version: "2.16.2",
      sha256: "912b8cd1f88fd1ef32b8db54f0193ad0a3f057691324436ba82c5f74a63a17dd",
      bytes: 259_727_578,
      installedBytes: 735_388_648,
    },
  ],
};

/** On Windows the library is linked against one Python's DLL, so the wheel has to match the installed Python. */
const windowsWheels: Readonly<Record<string, Wheel>> = {
  "3.10": windowsWheel(
    "efedd440b039df65171e85be61eea83b040025a7afc30d642763a7b902c23387",
    350_609_659,
    1_056_605_184,
  ),
  "3.11": windowsWheel(
    "6fc992a9c8700e18c178b0525f4e7697e58fce88df0dcb95db4dd3c7ad5f4651",
    350_834_051,
    1_056_612_352,
  ),
  "3.12": windowsWheel(
    "13ed4af80e5c5ddd6849323abecb4804eb2770f7570b57fe20208ad1e58c5d12",
    350_945_555,
    1_056_636_416,
  ),
  "3.13": windowsWheel(
    "b1f474fb27ff458d2a349f70bb3314d5bee3daddd9e8d8d8a6edd1cd680c90fe",
    351_205_417,
    1_056_626_688,
  ),
};

function windowsWheel(sha256: string, bytes: number, installedBytes: number): Wheel {
  return { name: "tensorflow-cpu", version: "2.21.0", sha256, bytes, installedBytes };
}

/** Python versions for which Windows has a wheel. */
export const windowsPythons: readonly string[] = Object.keys(windowsWheels);

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** With CUDA's libraries. */
  readonly gpu: boolean;
  /** "3.12": the installed Python; matters on Windows. */
  readonly python: string;
}

/** The bundle for a machine; undefined when there is no wheel of TensorFlow for it. */
export function bundleFor({ platform, arch, gpu, python }: Machine): RuntimeBundle | undefined {
  switch (`${platform}-${arch}`) {
    case "linux-x64":
      return gpu ? linuxX64Cuda : linuxX64;
    case "linux-arm64":
      return linuxArm64;
    case "darwin-arm64":
      return macArm64;
    case "darwin-x64":
      return macX64;
    case "win32-x64": {
      const wheel = windowsWheels[python];
      return wheel === undefined
        ? undefined
        : {
            ...linuxX64,
            platforms: ["win_amd64"],
            pythonVersion: python,
            keep: windowsKeep,
            wheels: [wheel],
          };
    }
    default:
      return undefined;
  }
}

/** Bytes to download and bytes that remain on disk. */
export function bundleSize({ wheels }: RuntimeBundle): {
  readonly download: number;
  readonly installed: number;
} {
  return {
    download: wheels.reduce((sum, { bytes }) => sum + bytes, 0),
    installed: wheels.reduce((sum, { installedBytes }) => sum + installedBytes, 0),
  };
}
