"""Translation settings."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.crud import patched
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.translations import TranslationSettings, WriteTranslation
from runtime.serializers import translations as serializers
from runtime.store.cursors import newest_first
from runtime.store.tables.translations import TranslationRow

TRANSLATION = Resource(
    "translation",
    TranslationRow,
    at="translations/{translationSettingsId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=TranslationSettings,
    serialize=serializers.translations,
    order=newest_first(TranslationRow.created_at, TranslationRow.id),
    located=False,
)

MAX_TRANSLATIONS = 1000

translations = Family("Translations", TRANSLATION)

crud.list_of(
    translations,
    TRANSLATION,
    "listTranslations",
    "List the translation settings of an organization.",
    needs=member("read"),
)
crud.create(
    translations,
    TRANSLATION,
    "createTranslation",
    "Create translation settings.",
    needs=member("create"),
    body=WriteTranslation,
    most=MAX_TRANSLATIONS,
    full="An organization has at most {most} translation settings; delete some first.",
)
crud.get(translations, TRANSLATION, "getTranslation", "Get translation settings.", needs=member("read"))


@translations.operation(f"PUT {TRANSLATION.path}", TRANSLATION, needs=member("create"))
def update_translation(call: Call, translation: TranslationRow, body: WriteTranslation) -> TranslationRow:
    """Change translation settings."""
    return patched(translation, body)


crud.delete(
    translations,
    TRANSLATION,
    "deleteTranslation",
    "Delete translation settings.",
    needs=member("create"),
)
