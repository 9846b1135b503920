import { createIntegration, type RuntimeContext, type RuntimeEnvironment } from '@gitbook/runtime';

import notice from './notice.raw.js';

type SiteConfiguration = { text?: string };
type Context = RuntimeContext<RuntimeEnvironment<{}, SiteConfiguration>>;

export default createIntegration<Context>({
    fetch_published_script: async (event, { environment }) => {
        const text = (environment.siteInstallation?.configuration.text ?? 'Welcome!').trim();
        if (!text) {
            return undefined; // no notice, no script
        }
        return new Response(`${notice.trimEnd()}(${JSON.stringify(text)});\n`, {
            headers: {
                'Content-Type': 'application/javascript',
                // A change of the configuration changes the script's address.
                'Cache-Control': 'max-age=604800',
            },
        });
    },
});
