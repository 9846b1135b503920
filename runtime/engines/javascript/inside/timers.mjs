// `node:timers` for a script: the global timers, which end with their call.

import promises from "./timers_promises.mjs";

const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;
export default { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
export { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
