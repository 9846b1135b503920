// Bundles as often as asked, with the esbuild of a project, which remembers what did not change.
// Each line of the input is a request, {options}, and each of the output its answer: {code, inputs}, {errors}, a text as
// the program esbuild writes it, or {unable}. It ends with its input.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [module] = process.argv.slice(2);
const esbuild = createRequire(module)(module);
let asked;
let context;

async function bundle(options) {
    const text = JSON.stringify(options);
    if (text !== asked) {
        await context?.dispose();
        context = await esbuild.context({ ...options, write: false, logLevel: 'silent', metafile: true });
        asked = text;
    }
    try {
        const { outputFiles, metafile } = await context.rebuild();
        return { code: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
    } catch (error) {
        if (!error.errors?.length) {
            throw error;
        }
        const shown = error.errors.slice(0, 20);
        return { errors: (await esbuild.formatMessages(shown, { kind: 'error', color: false })).join('') };
    }
}

for await (const line of createInterface({ input: process.stdin })) {
    const answer = await bundle(JSON.parse(line).options).catch((error) => ({ unable: String(error) }));
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
