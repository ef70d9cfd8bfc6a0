import { describe, expect, test } from "vitest";
import { type LogLine, LogReader } from "../../../worker-runtime/engines/log-lines.js";
import { diagnoseGpu, type GpuFacts } from "../../../worker-runtime/engines/tensorflow/gpu-diagnosis.js";

function linesOf(log: string): LogLine[] {
  const lines: LogLine[] = [];
  const reader = new LogReader((line) => lines.push(line));
  reader.push(log);
  reader.end();
  return lines;
}

const gpuBuild: GpuFacts = { gpuBuild: true, hasGpu: true, hidden: false };
const diagnose = (log: string, facts: GpuFacts = gpuBuild) => diagnoseGpu(linesOf(log), facts);

describe("why a GPU is not used", () => {
  test("no driver, in the words of 2.21, 2.11 and 1.14", () => {
    const logs = [
      "I0000 00:00:1795248587.409332     976 dso_loader.cc:144] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\n" +
        "E0000 00:00:1795248587.409370     976 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)",
      "I0000 00:00:1795245740.611968   11874 cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
      "2023-08-25 11:11:47.521702: I tensorflow/tsl/cuda/cudart_stub.cc:28] Could not find cuda drivers on your machine, GPU will not be used.",
      "2019-11-13 15:03:24.658577: W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\n" +
        "2019-11-13 15:03:24.658655: E tensorflow/stream_executor/cuda/cuda_driver.cc:318] failed call to cuInit: UNKNOWN ERROR (303)",
    ];
    for (const log of logs) {
      const { problems } = diagnose(log);
      expect(problems.map(({ kind }) => kind)).toEqual(["no-driver"]);
      expect(problems[0]?.todo).toContain("driver");
    }
  });

  test("a missing cuDNN is named with its version, and what the log says after it adds nothing", () => {
    const { problems } = diagnose(
      "2020-08-24 11:08:28.568827: W tensorflow/stream_executor/platform/default/dso_loader.cc:59] Could not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64\n" +
        "2020-08-24 11:08:28.568905: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1753] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.\n" +
        "Skipping registering GPU devices...\n",
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]?.what).toContain("cuDNN version 7 (libcudnn.so.7) could not be opened");
  });

  test("the library that another one needs is the one that is missing", () => {
    const { problems } = diagnose(
      "2024-06-19 16:06:44.996032: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file: No such file or directory",
    );
    expect(problems[0]?.what).toContain(
      "nvJitLink of CUDA version 12 (libnvJitLink.so.12) (which libcusolver.so.11 needs)",
    );
  });

  test("Windows names its DLLs in another way", () => {
    const { problems } = diagnose(
      "2021-06-24 23:59:50.227673: W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
    );
    expect(problems[0]?.what).toContain("The CUDA runtime version 11.0 (cudart64_110.dll)");
  });

  test("a log that names no library says how to make it", () => {
    const { problems } = diagnose(
      "W0000 00:00:1738697930.202924    7665 gpu_device.cc:2256] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.\nSkipping registering GPU devices...",
    );
    expect(problems.map(({ kind }) => kind)).toEqual(["missing-library"]);
    expect(problems[0]?.todo).toContain("TF_CPP_VMODULE=dso_loader=1");
  });

  test("an older cuDNN than the library was built with", () => {
    const { problems } = diagnose(
      "E0000 00:00:1738697930.202924    7665 cuda_dnn.cc:522] Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
    );
    expect(problems[0]).toMatchObject({ kind: "library-version" });
    expect(problems[0]?.what).toContain("cuDNN 9.1.0 was loaded, and this TensorFlow needs 9.3.0");
  });

  test("a GPU that is too old is a problem beside one that works", () => {
    const { devices, problems } = diagnose(
      "2018-10-30 18:48:01.233235: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1482] Ignoring visible gpu device (device: 0, name: GeForce GTX 1070, pci bus id: 0000:01:00.0, compute capability: 6.1) with Cuda compute capability 6.1. The minimum required Cuda capability is 7.0.\n" +
        "I0000 00:00:1738697931.1 7665 gpu_device.cc:2020] Created device /job:worker/replica:0/task:0/device:GPU:0 with 78000 MB memory:  -> device: 0, name: NVIDIA H200, pci bus id: 0000:65:00.0, compute capability: 9.0",
    );
    expect(devices).toEqual(["NVIDIA H200, compute capability 9.0"]);
    expect(problems[0]?.what).toBe(
      "GeForce GTX 1070 has compute capability 6.1, and this TensorFlow needs at least 7.0.",
    );
  });

  test("a CPU build is a problem only where there is a GPU", () => {
    const log = "";
    expect(diagnose(log, { gpuBuild: false, hasGpu: true, hidden: false }).problems[0]?.kind).toBe(
      "cpu-build",
    );
    expect(diagnose(log, { gpuBuild: false, hasGpu: false, hidden: false }).problems).toEqual([]);
  });

  test("TensorRT, which hardly anybody has, is not missed", () => {
    expect(
      diagnose(
        "2020-03-18 08:16:50.221103: W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'libnvinfer.so.6'; dlerror: libnvinfer.so.6: cannot open shared object file: No such file or directory",
      ).problems,
    ).toEqual([]);
  });
});

describe("log lines", () => {
  test("both of TensorFlow's formats are read, from pieces that break anywhere", () => {
    const lines: LogLine[] = [];
    const reader = new LogReader((line) => lines.push(line));
    const log =
      "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n" +
      "E0000 00:00:1795246524.204758   16980 grpc_server_lib.cc:467] Started\n" +
      "and went on\r\n\n" +
      "2026-11-21 07:35:24.279000: W tensorflow/core/a/b.cc:12] text with ] in it\nno end";
    for (const letter of log) {
      reader.push(letter);
    }
    reader.end();
    expect(lines).toEqual([
      { level: "error", text: "Started", source: "grpc_server_lib.cc" },
      { level: "error", text: "and went on" },
      { level: "warning", text: "text with ] in it", source: "b.cc" },
      { level: "warning", text: "no end" },
    ]);
  });
});
