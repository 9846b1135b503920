// `node:console` for a script: the console whose lines reach its trace.

const given = globalThis.console;
export default given;
export { given as console };
