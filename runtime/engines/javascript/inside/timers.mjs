// `node:timers` for a script: the global timers, which end with their call. `promises` are the runtime's own, which do not.

import * as promises from "node:timers/promises";

const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis;
export default { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
export { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
