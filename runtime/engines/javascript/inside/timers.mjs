// `node:timers` for a script: the timers that end with their call.

import * as promises from "node:timers/promises";

const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;
export default { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
export { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
