// `process`, as a bundle may expect it: an environment that is empty, no version of Node, no way to this machine.

import { EventEmitter } from "node:events";

const started = performance.now();
const NANOSECONDS = 1_000_000;

function hrtime(before) {
  const now = performance.now() - started;
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.floor((now % 1000) * NANOSECONDS);
  if (before) {
    seconds -= before[0];
    nanoseconds -= before[1];
    if (nanoseconds < 0) [seconds, nanoseconds] = [seconds - 1, nanoseconds + 1_000_000_000];
  }
  return [seconds, nanoseconds];
}
hrtime.bigint = () => BigInt(Math.floor((performance.now() - started) * NANOSECONDS));

function exit() {
  throw new Error("process.exit is not available to scripts");
}

const process = Object.assign(new EventEmitter(), {
  arch: "x64",
  argv: [],
  browser: false,
  cwd: () => "/",
  emitWarning: (warning) => console.warn(String(warning)),
  env: {},
  execArgv: [],
  exit,
  hrtime,
  nextTick: (run, ...given) => queueMicrotask(() => run(...given)),
  pid: 1,
  platform: "linux",
  title: "integration",
  umask: () => 0o22,
  uptime: () => (performance.now() - started) / 1000,
  version: "",
  versions: {},
});

export default process;
export const { arch, argv, cwd, emitWarning, env, nextTick, pid, platform, title, uptime, version, versions } = process;
export { exit, hrtime };
