import { createIntegration } from '@gitbook/runtime';

export default createIntegration({
    events: {
        // Comes once for each space the integration is installed on, and again, with `previous`, when something is changed.
        space_installation_setup: async (event) => {
            if (!event.previous) {
                console.log(`installed on space ${event.spaceId}`);
            }
        },
        space_content_updated: async (event, { api }) => {
            // An event carries ids; what they stand for is asked with the installation's token.
            const { data: space } = await api.spaces.getSpaceById(event.spaceId);
            console.log(`${space.title} has a new revision, ${event.revisionId}`);
        },
        page_feedback: async ({ feedback, url }) => {
            if (feedback.rating !== 'bad') {
                return;
            }
            // Events come at least once: whoever stores or sends something should remember `eventId` to know a second
            // delivery.
            console.warn(`${url} was rated bad: ${feedback.comment ?? 'no comment'}`);
        },
    },
});
