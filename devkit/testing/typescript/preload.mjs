// Executed before any test: says what `devkit:test` is. Unlike an import map this leaves those of the project in force.
import { registerHooks } from 'node:module';

const FOLDER = new URL('.', import.meta.url).href;
const VERBS = new URL('test.mjs', FOLDER).href;

/** Say that each line comes from Deno itself: it leaves its own lines out where it shows how an error came about. */
function hidden(source) {
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    const mappings = `AAAA${';AACA'.repeat(text.split('\n').length)}`;
    const map = JSON.stringify({ version: 3, sources: ['ext:devkit/test.mjs'], names: [], mappings });
    return `${text}\n//# sourceMappingURL=data:application/json;base64,${btoa(map)}`;
}

registerHooks({
    resolve: (specifier, context, next) =>
        specifier === 'devkit:test' ? { url: VERBS, format: 'module', shortCircuit: true } : next(specifier, context),
    load(url, context, next) {
        const loaded = next(url, context);
        return url.startsWith(FOLDER) ? { ...loaded, source: hidden(loaded.source) } : loaded;
    },
});
