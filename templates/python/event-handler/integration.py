"""Reacts to what happens in spaces and on sites."""

from runtime.sdk import Context, Integration
from runtime.sdk.events import PageFeedback, SpaceContentUpdated, SpaceInstallationSetup

integration = Integration()


# Comes once for each space the integration is installed on, and again, with `previous`, when something is changed.
@integration.on("space_installation_setup")
def set_up(event: SpaceInstallationSetup, context: Context):
    if "previous" not in event:
        context.log.info("installed on space %s", event["spaceId"])


@integration.on("space_content_updated")
def content_updated(event: SpaceContentUpdated, context: Context):
    # An event carries ids; what they stand for is asked with the installation's token.
    space = context.api.get(f"/spaces/{event['spaceId']}")
    context.log.info("%s has a new revision, %s", space["title"], event["revisionId"])


@integration.on("page_feedback")
def rated(event: PageFeedback, context: Context):
    feedback = event["feedback"]
    if feedback["rating"] != "bad":
        return
    # Events come at least once: whoever stores or sends something should remember `eventId` to know a second delivery.
    context.log.warn("%s was rated bad: %s", event["url"], feedback.get("comment", "no comment"))
