BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0046');
CREATE TABLE blobs (
	name VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	touched_at DATETIME NOT NULL, organization_id VARCHAR(20), sent_at DATETIME, 
	PRIMARY KEY (name)
);
CREATE TABLE change_request_reviews (
	id VARCHAR(20) NOT NULL, 
	change_request_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	requested_by VARCHAR(20), 
	revision_id VARCHAR(20) NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(change_request_id) REFERENCES change_requests (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	FOREIGN KEY(requested_by) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE change_requests (
	id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	number INTEGER NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	subject VARCHAR(100) NOT NULL, 
	description JSON, 
	user_id VARCHAR(20) NOT NULL, 
	revision_id VARCHAR(20) NOT NULL, 
	initial_id VARCHAR(20) NOT NULL, 
	ancestor_id VARCHAR(20) NOT NULL, 
	merged_ancestor_id VARCHAR(20), 
	merged_id VARCHAR(20), 
	contributors JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE collection_ancestors (
	collection_id VARCHAR(20) NOT NULL, 
	ancestor_id VARCHAR(20) NOT NULL, 
	PRIMARY KEY (collection_id, ancestor_id), 
	FOREIGN KEY(collection_id) REFERENCES collections (id) ON DELETE CASCADE, 
	FOREIGN KEY(ancestor_id) REFERENCES collections (id) ON DELETE CASCADE
);
CREATE TABLE collections (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	parent_id VARCHAR(20), 
	title VARCHAR(50) NOT NULL, 
	description VARCHAR(100), 
	default_level VARCHAR(10), 
	effective_level INTEGER, 
	position BIGINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(parent_id) REFERENCES collections (id) ON DELETE CASCADE
);
CREATE TABLE comment_reactions (
	on_id VARCHAR(20) NOT NULL, 
	emoji VARCHAR(100) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	comment_id VARCHAR(20) NOT NULL, 
	reply_id VARCHAR(20), 
	reacted_at DATETIME NOT NULL, 
	PRIMARY KEY (on_id, emoji, user_id), 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	FOREIGN KEY(comment_id) REFERENCES comments (id) ON DELETE CASCADE, 
	FOREIGN KEY(reply_id) REFERENCES comment_replies (id) ON DELETE CASCADE
);
CREATE TABLE comment_replies (
	id VARCHAR(20) NOT NULL, 
	comment_id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	posted_at DATETIME NOT NULL, 
	edited_at DATETIME, 
	document JSON NOT NULL, 
	markdown TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(comment_id) REFERENCES comments (id) ON DELETE CASCADE, 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE comments (
	id VARCHAR(20) NOT NULL, 
	place_id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	change_request_id VARCHAR(20), 
	user_id VARCHAR(20) NOT NULL, 
	revision_id VARCHAR(20) NOT NULL, 
	page_id VARCHAR(100), 
	node_id VARCHAR(100), 
	record_id VARCHAR(100), 
	definition_id VARCHAR(100), 
	document_id VARCHAR(40), 
	node_digest VARCHAR(40), 
	posted_at DATETIME NOT NULL, 
	edited_at DATETIME, 
	resolved_at DATETIME, 
	resolved_by_id VARCHAR(20), 
	node_preview TEXT, 
	page JSON, 
	document JSON NOT NULL, 
	markdown TEXT NOT NULL, review_id VARCHAR(20), 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(change_request_id) REFERENCES change_requests (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	FOREIGN KEY(resolved_by_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE content_pieces (
	space_id VARCHAR(20) NOT NULL, 
	name BLOB NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (space_id, name), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE content_sizes (
	space_id VARCHAR(20) NOT NULL, 
	size BIGINT NOT NULL, files BIGINT DEFAULT '0' NOT NULL, comments BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_content_sizes PRIMARY KEY (space_id), 
	CONSTRAINT fk_content_sizes_space_id_spaces FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE deleted_space_places (
	space_id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	place JSON NOT NULL, 
	CONSTRAINT pk_deleted_space_places PRIMARY KEY (space_id, site_id), 
	CONSTRAINT fk_deleted_space_places_space_id_spaces FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	CONSTRAINT fk_deleted_space_places_site_id_sites FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE
);
CREATE TABLE document_references (
	space_id VARCHAR(20) NOT NULL, 
	name BLOB NOT NULL, 
	found JSON NOT NULL, size INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (space_id, name), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE email_invites (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	email VARCHAR(254) NOT NULL, 
	role VARCHAR(10), 
	sso BOOLEAN NOT NULL, 
	invited_by VARCHAR(20), 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	attempts INTEGER NOT NULL, 
	send_at DATETIME, 
	PRIMARY KEY (id), 
	CONSTRAINT one_invite_for_an_address UNIQUE (organization_id, email), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(invited_by) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE epochs (
	owner VARCHAR(24) NOT NULL, 
	n BIGINT NOT NULL, 
	PRIMARY KEY (owner)
);
INSERT INTO "epochs" VALUES('*',1);
CREATE TABLE events (
	seq INTEGER NOT NULL, 
	id VARCHAR(20) NOT NULL, 
	integration_id VARCHAR(20) NOT NULL, 
	installation_id VARCHAR(20), 
	lane VARCHAR(20) NOT NULL, 
	type VARCHAR(40) NOT NULL, 
	payload BLOB NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at FLOAT NOT NULL, 
	lease_owner VARCHAR(20), 
	lease_until FLOAT, 
	answer INTEGER, 
	duration_ms FLOAT, 
	created_at DATETIME NOT NULL, 
	trace BLOB, held FLOAT, ended_at FLOAT, body BLOB, source VARCHAR(10), size INTEGER, 
	PRIMARY KEY (seq), 
	UNIQUE (id)
);
CREATE TABLE external_ids (
	id VARCHAR(20) NOT NULL, 
	owner_id VARCHAR(20) NOT NULL, 
	position INTEGER NOT NULL, 
	value VARCHAR(500) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (owner_id, position)
);
CREATE TABLE follows (
	process VARCHAR(20) NOT NULL, 
	integration_id VARCHAR(20) NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (process, integration_id)
);
CREATE TABLE git_operations (
	id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	direction VARCHAR(10) NOT NULL, 
	url BLOB NOT NULL, 
	ref TEXT NOT NULL, 
	directory TEXT NOT NULL, 
	"values" JSON NOT NULL, 
	asked_at DATETIME, 
	force BOOLEAN NOT NULL, 
	revision_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20), 
	commit_id VARCHAR(64), 
	created_at DATETIME NOT NULL, integration_id VARCHAR(20), installation_id VARCHAR(20), 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE git_syncs (
	space_id VARCHAR(20) NOT NULL, 
	provider VARCHAR(20), 
	url TEXT, 
	repository TEXT, 
	ref TEXT, 
	directory TEXT, 
	commit_id VARCHAR(64), 
	revision_id VARCHAR(20), 
	same BOOLEAN NOT NULL, 
	asked_at DATETIME, 
	direction VARCHAR(10), 
	state VARCHAR(10), 
	error TEXT, 
	problems JSON NOT NULL, 
	ended_at DATETIME, 
	updated_at DATETIME NOT NULL, 
	PRIMARY KEY (space_id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE grants (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20), 
	collection_id VARCHAR(20), 
	user_id VARCHAR(20), 
	team_id VARCHAR(20), 
	role VARCHAR(10) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(collection_id) REFERENCES collections (id) ON DELETE CASCADE, 
	FOREIGN KEY(team_id) REFERENCES teams (id) ON DELETE CASCADE, 
	FOREIGN KEY(organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
);
CREATE TABLE imports (
	id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	change_request_id VARCHAR(20), 
	page_id VARCHAR(40), 
	user_id VARCHAR(20), 
	source VARCHAR(20) NOT NULL, 
	url TEXT, 
	blob VARCHAR(64), 
	name TEXT NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	imported INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	problems JSON NOT NULL, 
	error TEXT, 
	revision_id VARCHAR(20) NOT NULL, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, blob_came_at DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(change_request_id) REFERENCES change_requests (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE installations (
	integration_id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	space_selection VARCHAR(10) NOT NULL, 
	site_selection VARCHAR(10) NOT NULL, 
	id VARCHAR(20) NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	paused BOOLEAN NOT NULL, 
	configuration BLOB NOT NULL, 
	revision INTEGER NOT NULL, 
	signing_secret BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	deleted_at DATETIME, paused_by_person BOOLEAN DEFAULT 0 NOT NULL, for_organization BOOLEAN DEFAULT 0 NOT NULL, size INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(integration_id) REFERENCES integrations (id) ON DELETE CASCADE, 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE integration_previews (
	version_id VARCHAR(20) NOT NULL, 
	position INTEGER NOT NULL, 
	image BLOB NOT NULL, 
	PRIMARY KEY (version_id, position), 
	FOREIGN KEY(version_id) REFERENCES integration_versions (id) ON DELETE CASCADE
);
CREATE TABLE integration_versions (
	id VARCHAR(20) NOT NULL, 
	integration_id VARCHAR(20) NOT NULL, 
	number INTEGER NOT NULL, 
	runtime VARCHAR(10) NOT NULL, 
	entry VARCHAR(200) NOT NULL, 
	script TEXT, 
	secrets BLOB NOT NULL, 
	report JSON NOT NULL, 
	icon BLOB, 
	previews INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, published JSON, published_by VARCHAR(20), size INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(integration_id) REFERENCES integrations (id) ON DELETE CASCADE, 
	UNIQUE (integration_id, number)
);
CREATE TABLE integrations (
	id VARCHAR(20) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	version_id VARCHAR(20) NOT NULL, 
	version INTEGER NOT NULL, 
	visibility VARCHAR(10) NOT NULL, 
	target VARCHAR(20) NOT NULL, 
	title VARCHAR(30) NOT NULL, 
	manifest JSON NOT NULL, 
	signing_secret BLOB NOT NULL, 
	tunnel_url VARCHAR(256), 
	tunnel_all BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, tunnel_by VARCHAR(20), 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	UNIQUE (name)
);
CREATE TABLE invite_emails (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20), 
	email VARCHAR(254) NOT NULL, 
	expires_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE invite_links (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	role VARCHAR(10), 
	invited_by VARCHAR(20), 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(invited_by) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE jobs (
	id VARCHAR(20) NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	subject VARCHAR(100) NOT NULL, 
	payload JSON NOT NULL, 
	progress JSON NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at DATETIME NOT NULL, 
	holder VARCHAR(20), 
	leased_until DATETIME, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE members (
	organization_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	role VARCHAR(10), 
	joined_at DATETIME NOT NULL, last_seen_at DATETIME, sso BOOLEAN DEFAULT 0 NOT NULL, disabled BOOLEAN DEFAULT 0 NOT NULL, provisioned BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (organization_id, user_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE openapi_spec_versions (
	id VARCHAR(20) NOT NULL, 
	spec_id VARCHAR(20) NOT NULL, 
	blob VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(spec_id) REFERENCES openapi_specs (id) ON DELETE CASCADE
);
CREATE TABLE openapi_specs (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	slug VARCHAR(100) NOT NULL, 
	source_url VARCHAR(2048), 
	source_blob VARCHAR(64), 
	revision INTEGER NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	error_code VARCHAR(20), 
	errors JSON NOT NULL, 
	last_version VARCHAR(20), 
	last_processed_at DATETIME, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, source_blob_came_at DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE organizations (
	id VARCHAR(20) NOT NULL, 
	title VARCHAR(255) NOT NULL, 
	hostname VARCHAR(32), 
	type VARCHAR(20) NOT NULL, 
	default_role VARCHAR(10), 
	created_at DATETIME NOT NULL, default_content JSON, email_domains JSON DEFAULT '[]' NOT NULL, logo VARCHAR(2048), sso BOOLEAN DEFAULT 0 NOT NULL, ai BOOLEAN DEFAULT 0 NOT NULL, invite_links BOOLEAN DEFAULT 0 NOT NULL, merge_rules JSON DEFAULT '{"type": "none"}' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (hostname)
);
CREATE TABLE pdfs (
	id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	revision_id VARCHAR(20) NOT NULL, 
	page_id VARCHAR(100) NOT NULL, 
	only BOOLEAN NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	blob VARCHAR(64), 
	size BIGINT NOT NULL, 
	problem VARCHAR(500), 
	created_at DATETIME NOT NULL, 
	used_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE requested_reviewers (
	id VARCHAR(20) NOT NULL, 
	change_request_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	requested_by VARCHAR(20) NOT NULL, 
	revision_id VARCHAR(20) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(change_request_id) REFERENCES change_requests (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	FOREIGN KEY(requested_by) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE revisions (
	id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	type VARCHAR(10) NOT NULL, 
	parents JSON NOT NULL, 
	user_id VARCHAR(20), 
	pages BLOB NOT NULL, 
	files BLOB NOT NULL, 
	reusable_contents BLOB NOT NULL, 
	variables JSON NOT NULL, 
	git JSON, 
	merged_from VARCHAR(20), 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);
CREATE TABLE saml_providers (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	label VARCHAR(30) NOT NULL, 
	sso_url VARCHAR(2048) NOT NULL, 
	entity_id VARCHAR(1024) NOT NULL, 
	certificate TEXT NOT NULL, 
	default_team VARCHAR(20), 
	default_role VARCHAR(10), 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(default_team) REFERENCES teams (id) ON DELETE SET NULL
);
CREATE TABLE saml_sign_ins (
	id VARCHAR(48) NOT NULL, 
	provider_id VARCHAR(20) NOT NULL, 
	browser BLOB NOT NULL, 
	next VARCHAR(2048) NOT NULL, 
	expires_at DATETIME NOT NULL, 
	code BLOB, 
	user_id VARCHAR(20), 
	signed_in_until DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(provider_id) REFERENCES saml_providers (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE search_pages (
	space_id VARCHAR(20) NOT NULL, 
	page_id VARCHAR(100) NOT NULL, 
	number INTEGER NOT NULL, 
	fingerprint BLOB NOT NULL, 
	drawn BLOB, 
	listed BOOLEAN NOT NULL, 
	title TEXT NOT NULL, 
	path TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (space_id, page_id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE search_postings (
	space_id VARCHAR(20) NOT NULL, 
	word BLOB NOT NULL, 
	chunk INTEGER NOT NULL, 
	entries BLOB NOT NULL, 
	PRIMARY KEY (space_id, word, chunk), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE search_spaces (
	space_id VARCHAR(20) NOT NULL, 
	revision_id VARCHAR(20), 
	version INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	pages INTEGER NOT NULL, 
	leased_until DATETIME, 
	PRIMARY KEY (space_id), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE search_words (
	space_id VARCHAR(20) NOT NULL, 
	word BLOB NOT NULL, 
	backward BLOB NOT NULL, 
	PRIMARY KEY (space_id, word), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE sent_forms (
	session_id VARCHAR(20) NOT NULL, 
	"key" VARCHAR(30) NOT NULL, 
	about VARCHAR(300) NOT NULL, 
	PRIMARY KEY (session_id, "key"), 
	FOREIGN KEY(session_id) REFERENCES tokens (id) ON DELETE CASCADE
);
CREATE TABLE site_adaptive_schemas (
	site_id VARCHAR(20) NOT NULL, 
	json_schema JSON NOT NULL, 
	updated_at DATETIME NOT NULL, 
	PRIMARY KEY (site_id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE
);
CREATE TABLE site_customizations (
	site_id VARCHAR(20) NOT NULL, 
	settings JSON NOT NULL, 
	PRIMARY KEY (site_id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE
);
CREATE TABLE site_installations (
	installation_id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	id VARCHAR(20) NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	paused BOOLEAN NOT NULL, 
	configuration BLOB NOT NULL, 
	revision INTEGER NOT NULL, 
	signing_secret BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	deleted_at DATETIME, paused_by_person BOOLEAN DEFAULT 0 NOT NULL, size INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(installation_id) REFERENCES installations (id) ON DELETE CASCADE, 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE
);
CREATE TABLE site_redirects (
	id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	source VARCHAR(512) NOT NULL, 
	site_section_id VARCHAR(20), 
	site_space_id VARCHAR(20), 
	page_id VARCHAR(100), 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE, 
	FOREIGN KEY(site_section_id) REFERENCES site_sections (id) ON DELETE CASCADE, 
	FOREIGN KEY(site_space_id) REFERENCES site_spaces (id) ON DELETE CASCADE
);
CREATE TABLE site_section_groups (
	id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	parent_id VARCHAR(20), 
	title VARCHAR(100) NOT NULL, 
	icon VARCHAR(50), 
	position INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE, 
	FOREIGN KEY(parent_id) REFERENCES site_section_groups (id) ON DELETE SET NULL
);
CREATE TABLE site_sections (
	id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	group_id VARCHAR(20), 
	title VARCHAR(128) NOT NULL, 
	description VARCHAR(256), 
	path VARCHAR(100) NOT NULL, 
	icon VARCHAR(50), 
	condition VARCHAR(1024), 
	default_of VARCHAR(20), 
	position INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE, 
	FOREIGN KEY(group_id) REFERENCES site_section_groups (id) ON DELETE SET NULL
);
CREATE TABLE site_share_links (
	id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	name VARCHAR(50) NOT NULL, 
	active BOOLEAN NOT NULL, 
	"key" BLOB NOT NULL, 
	digest BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE, 
	UNIQUE (digest)
);
CREATE TABLE site_space_customizations (
	site_space_id VARCHAR(20) NOT NULL, 
	overrides JSON NOT NULL, 
	PRIMARY KEY (site_space_id), 
	FOREIGN KEY(site_space_id) REFERENCES site_spaces (id) ON DELETE CASCADE
);
CREATE TABLE "site_spaces" (
	id VARCHAR(20) NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	position INTEGER NOT NULL, 
	section_id VARCHAR(20), holder_id VARCHAR(20) DEFAULT '' NOT NULL, path VARCHAR(100) DEFAULT '' NOT NULL, condition VARCHAR(1024), default_of VARCHAR(20), 
	PRIMARY KEY (id), 
	CONSTRAINT site_spaces_section_id_fkey FOREIGN KEY(section_id) REFERENCES site_sections (id) ON DELETE CASCADE, 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE, 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE sites (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	type VARCHAR(20) NOT NULL, 
	title VARCHAR(128) NOT NULL, 
	visibility VARCHAR(20) NOT NULL, 
	published BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, basename VARCHAR(100), proxy VARCHAR(512), adaptive_content BOOLEAN DEFAULT 0 NOT NULL, agents_context VARCHAR(10) DEFAULT 'included' NOT NULL, visitor_auth_backend VARCHAR(20), visitor_auth_integration VARCHAR(100), auth_revision INTEGER DEFAULT '1' NOT NULL, fallback_url VARCHAR(2048), 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE space_blobs (
	space_id VARCHAR(20) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	added_at DATETIME NOT NULL, 
	PRIMARY KEY (space_id, name), 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE space_installations (
	installation_id VARCHAR(20) NOT NULL, 
	space_id VARCHAR(20) NOT NULL, 
	id VARCHAR(20) NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	paused BOOLEAN NOT NULL, 
	configuration BLOB NOT NULL, 
	revision INTEGER NOT NULL, 
	signing_secret BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	deleted_at DATETIME, paused_by_person BOOLEAN DEFAULT 0 NOT NULL, size INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(installation_id) REFERENCES installations (id) ON DELETE CASCADE, 
	FOREIGN KEY(space_id) REFERENCES spaces (id) ON DELETE CASCADE
);
CREATE TABLE spaces (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	title VARCHAR(50) NOT NULL, 
	emoji VARCHAR(50) NOT NULL, 
	visibility VARCHAR(20) NOT NULL, 
	edit_mode VARCHAR(10) NOT NULL, 
	language VARCHAR(10), 
	revision_id VARCHAR(20) NOT NULL, 
	default_level VARCHAR(10), 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	deleted_at DATETIME, collection_id VARCHAR(20) REFERENCES collections (id) ON DELETE SET NULL, position BIGINT DEFAULT '0' NOT NULL, previous_id VARCHAR(20), revised_at DATETIME, icon VARCHAR(2048), merge_rules JSON DEFAULT '{"type": "inherit"}' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE team_members (
	team_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	role VARCHAR(10) NOT NULL, 
	added_at DATETIME NOT NULL, 
	PRIMARY KEY (team_id, user_id), 
	FOREIGN KEY(team_id) REFERENCES teams (id) ON DELETE CASCADE, 
	FOREIGN KEY(organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
);
CREATE TABLE teams (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	title VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE "tokens" (
	id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	digest BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	title VARCHAR(100), 
	expires_at DATETIME, 
	kind VARCHAR(10) DEFAULT 'token' NOT NULL, 
	organization_id VARCHAR(20), 
	sso BOOLEAN DEFAULT 1 NOT NULL, 
	parent_id VARCHAR(20), 
	PRIMARY KEY (id), 
	CONSTRAINT sessions_of_token FOREIGN KEY(parent_id) REFERENCES tokens (id) ON DELETE CASCADE, 
	CONSTRAINT tokens_of_organization FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	UNIQUE (digest), 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE translations (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	title VARCHAR(100) NOT NULL, 
	languages JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE TABLE tunnels (
	id VARCHAR(20) NOT NULL, 
	organization_id VARCHAR(20) NOT NULL, 
	user_id VARCHAR(20) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	url VARCHAR(256) NOT NULL, 
	leased_until DATETIME NOT NULL, 
	created_at DATETIME NOT NULL, lease_seconds FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	UNIQUE (organization_id, user_id, name)
);
CREATE TABLE users (
	id VARCHAR(20) NOT NULL, 
	display_name VARCHAR(100) NOT NULL, 
	email VARCHAR(320) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (email)
);
CREATE TABLE "visitor_sessions" (
	digest BLOB NOT NULL, 
	site_id VARCHAR(20) NOT NULL, 
	site_installation_id VARCHAR(20), 
	claims BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(site_installation_id) REFERENCES site_installations (id) ON DELETE CASCADE, 
	FOREIGN KEY(site_id) REFERENCES sites (id) ON DELETE CASCADE
);
CREATE INDEX events_due ON events (state, due_at);
CREATE INDEX events_of_integration ON events (integration_id, seq);
CREATE INDEX ix_events_installation_id ON events (installation_id);
CREATE INDEX ix_members_user_id ON members (user_id);
CREATE INDEX ix_site_installations_site_id ON site_installations (site_id);
CREATE INDEX ix_space_installations_space_id ON space_installations (space_id);
CREATE INDEX ix_tunnels_url ON tunnels (url);
CREATE INDEX ix_tunnels_user_id ON tunnels (user_id);
CREATE INDEX members_joined ON members (organization_id, joined_at, user_id);
CREATE INDEX members_seen ON members (organization_id, last_seen_at, user_id);
CREATE INDEX teams_of_organization ON teams (organization_id, created_at, id);
CREATE INDEX team_members_of_person ON team_members (organization_id, user_id);
CREATE INDEX team_members_in_order ON team_members (team_id, added_at, user_id);
CREATE INDEX installations_of_integration ON installations (integration_id, created_at, id);
CREATE INDEX installations_of_organization ON installations (organization_id, created_at, id);
CREATE INDEX space_installations_of_installation ON space_installations (installation_id, created_at, id);
CREATE INDEX site_installations_of_installation ON site_installations (installation_id, created_at, id);
CREATE INDEX integrations_of_organization ON integrations (organization_id, created_at, id);
CREATE INDEX sites_of_organization ON sites (organization_id, created_at, id);
CREATE INDEX spaces_of_organization ON spaces (organization_id, created_at, id);
CREATE UNIQUE INDEX installations_live ON installations (integration_id, organization_id) WHERE deleted_at IS NULL;
CREATE INDEX installations_gone ON installations (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX space_installations_live ON space_installations (installation_id, space_id) WHERE deleted_at IS NULL;
CREATE INDEX space_installations_gone ON space_installations (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX site_installations_live ON site_installations (installation_id, site_id) WHERE deleted_at IS NULL;
CREATE INDEX site_installations_gone ON site_installations (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX integrations_listed ON integrations (created_at, id);
CREATE INDEX integrations_tunneled ON integrations (tunnel_url) WHERE tunnel_url IS NOT NULL;
CREATE INDEX external_ids_by_value ON external_ids (value, owner_id);
CREATE INDEX events_ended ON events (integration_id, ended_at, seq);
CREATE INDEX events_standing ON events (seq) WHERE state IN ('pending', 'failed', 'claimed');
CREATE INDEX events_held ON events (installation_id, due_at) WHERE held IS NOT NULL;
CREATE INDEX ix_invite_links_invited_by ON invite_links (invited_by);
CREATE INDEX invite_links_of_organization ON invite_links (organization_id, created_at, id);
CREATE INDEX email_invites_due ON email_invites (send_at);
CREATE INDEX ix_email_invites_invited_by ON email_invites (invited_by);
CREATE INDEX saml_providers_of_organization ON saml_providers (organization_id, created_at, id);
CREATE INDEX ix_saml_providers_default_team ON saml_providers (default_team);
CREATE INDEX ix_saml_sign_ins_provider_id ON saml_sign_ins (provider_id);
CREATE INDEX ix_saml_sign_ins_expires_at ON saml_sign_ins (expires_at);
CREATE INDEX ix_saml_sign_ins_code ON saml_sign_ins (code);
CREATE INDEX ix_saml_sign_ins_user_id ON saml_sign_ins (user_id);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE INDEX ix_tokens_expires_at ON tokens (expires_at);
CREATE INDEX ix_tokens_parent_id ON tokens (parent_id);
CREATE INDEX ix_tokens_organization_id ON tokens (organization_id);
CREATE INDEX collections_of_organization ON collections (organization_id, position, id);
CREATE INDEX collections_in_collection ON collections (parent_id, position, id);
CREATE INDEX ix_collection_ancestors_ancestor_id ON collection_ancestors (ancestor_id);
CREATE INDEX spaces_in_collection ON spaces (collection_id, position, id);
CREATE INDEX spaces_gone ON spaces (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX grants_person_on_space ON grants (space_id, user_id);
CREATE UNIQUE INDEX grants_person_on_collection ON grants (collection_id, user_id);
CREATE UNIQUE INDEX grants_team_on_space ON grants (space_id, team_id);
CREATE UNIQUE INDEX grants_team_on_collection ON grants (collection_id, team_id);
CREATE INDEX ix_grants_organization_id ON grants (organization_id);
CREATE INDEX ix_grants_team_id ON grants (team_id);
CREATE INDEX grants_of_person ON grants (user_id, organization_id);
CREATE INDEX grants_on_space ON grants (space_id, created_at, id);
CREATE INDEX grants_on_collection ON grants (collection_id, created_at, id);
CREATE INDEX translations_of_organization ON translations (organization_id, created_at, id);
CREATE INDEX ix_site_section_groups_parent_id ON site_section_groups (parent_id);
CREATE INDEX site_section_groups_in_order ON site_section_groups (site_id, position, id);
CREATE INDEX ix_site_sections_group_id ON site_sections (group_id);
CREATE INDEX site_sections_in_order ON site_sections (site_id, position, id);
CREATE UNIQUE INDEX site_sections_by_path ON site_sections (site_id, path);
CREATE UNIQUE INDEX site_sections_default ON site_sections (default_of);
CREATE INDEX ix_site_spaces_space_id ON site_spaces (space_id);
CREATE UNIQUE INDEX site_spaces_once ON site_spaces (site_id, space_id);
CREATE INDEX ix_site_spaces_section_id ON site_spaces (section_id);
CREATE INDEX site_spaces_in_order ON site_spaces (site_id, position, id);
CREATE UNIQUE INDEX site_spaces_by_path ON site_spaces (holder_id, path);
CREATE UNIQUE INDEX site_spaces_default ON site_spaces (default_of);
CREATE UNIQUE INDEX sites_proxy ON sites (proxy);
CREATE INDEX site_share_links_in_order ON site_share_links (site_id, created_at, id);
CREATE INDEX ix_site_redirects_site_section_id ON site_redirects (site_section_id);
CREATE INDEX ix_site_redirects_site_space_id ON site_redirects (site_space_id);
CREATE INDEX site_redirects_in_order ON site_redirects (site_id, created_at, id);
CREATE UNIQUE INDEX site_redirects_by_source ON site_redirects (site_id, source);
CREATE INDEX ix_visitor_sessions_site_id ON visitor_sessions (site_id);
CREATE INDEX ix_visitor_sessions_site_installation_id ON visitor_sessions (site_installation_id);
CREATE INDEX ix_visitor_sessions_expires_at ON visitor_sessions (expires_at);
CREATE INDEX revisions_of_space ON revisions (space_id, created_at, id);
CREATE INDEX ix_revisions_user_id ON revisions (user_id);
CREATE INDEX change_requests_of_space ON change_requests (space_id, created_at, id);
CREATE UNIQUE INDEX change_requests_by_number ON change_requests (space_id, number);
CREATE INDEX ix_change_requests_user_id ON change_requests (user_id);
CREATE INDEX requested_reviewers_in_order ON requested_reviewers (change_request_id, created_at, id);
CREATE UNIQUE INDEX requested_reviewers_once ON requested_reviewers (change_request_id, user_id);
CREATE INDEX ix_requested_reviewers_user_id ON requested_reviewers (user_id);
CREATE INDEX ix_requested_reviewers_requested_by ON requested_reviewers (requested_by);
CREATE INDEX comments_of_place ON comments (place_id, posted_at, id);
CREATE INDEX comments_of_space ON comments (space_id);
CREATE INDEX comments_of_change_request ON comments (change_request_id);
CREATE INDEX comments_of_user ON comments (user_id);
CREATE INDEX comments_of_resolver ON comments (resolved_by_id);
CREATE INDEX comments_open ON comments (place_id) WHERE resolved_by_id IS NULL;
CREATE INDEX replies_of_comment ON comment_replies (comment_id, posted_at, id);
CREATE INDEX replies_of_space ON comment_replies (space_id);
CREATE INDEX replies_of_user ON comment_replies (user_id);
CREATE INDEX reactions_of_comment ON comment_reactions (comment_id);
CREATE INDEX reactions_of_reply ON comment_reactions (reply_id);
CREATE INDEX reactions_of_user ON comment_reactions (user_id);
CREATE INDEX jobs_due ON jobs (due_at, id);
CREATE INDEX jobs_of_subject ON jobs (kind, subject);
CREATE INDEX jobs_of_organization ON jobs (organization_id);
CREATE INDEX blobs_touched ON blobs (touched_at, name);
CREATE INDEX space_blobs_of_blob ON space_blobs (name);
CREATE UNIQUE INDEX openapi_specs_by_slug ON openapi_specs (organization_id, slug);
CREATE INDEX openapi_specs_of_organization ON openapi_specs (organization_id, created_at, id);
CREATE INDEX openapi_specs_of_blob ON openapi_specs (source_blob);
CREATE INDEX openapi_versions_of_spec ON openapi_spec_versions (spec_id, created_at, id);
CREATE INDEX openapi_versions_of_blob ON openapi_spec_versions (blob);
CREATE INDEX spaces_by_change ON spaces (updated_at);
CREATE UNIQUE INDEX search_pages_by_number ON search_pages (space_id, number);
CREATE INDEX search_pages_unlisted ON search_pages (space_id, number) WHERE NOT listed;
CREATE INDEX search_words_backward ON search_words (space_id, backward);
CREATE UNIQUE INDEX pdfs_of_what ON pdfs (space_id, revision_id, page_id, only);
CREATE INDEX pdfs_by_use ON pdfs (used_at, id);
CREATE INDEX pdfs_of_blob ON pdfs (blob);
CREATE INDEX reviews_of_change_request ON change_request_reviews (change_request_id, created_at, id);
CREATE INDEX reviews_of_person ON change_request_reviews (user_id);
CREATE INDEX reviews_asked_by ON change_request_reviews (requested_by);
CREATE INDEX comments_of_review ON comments (review_id);
CREATE INDEX imports_of_space ON imports (space_id, created_at, id);
CREATE INDEX imports_of_change_request ON imports (change_request_id);
CREATE INDEX imports_with_blob ON imports (blob);
CREATE INDEX ix_imports_user_id ON imports (user_id);
CREATE INDEX git_operations_of_space ON git_operations (space_id);
CREATE INDEX ix_git_operations_user_id ON git_operations (user_id);
CREATE INDEX change_requests_by_status ON change_requests (space_id, status, created_at, id);
CREATE INDEX ix_deleted_space_places_site_id ON deleted_space_places (site_id);
CREATE INDEX email_invites_of_organization ON email_invites (organization_id, created_at, id);
CREATE INDEX invite_emails_of_organization ON invite_emails (organization_id, expires_at);
CREATE INDEX invite_emails_of_person ON invite_emails (user_id, expires_at);
CREATE INDEX invite_emails_over ON invite_emails (expires_at);
CREATE INDEX integration_versions_by_size ON integration_versions (integration_id, size);
CREATE INDEX imports_that_keep_blobs ON imports (space_id, blob) WHERE blob IS NOT NULL;
CREATE INDEX pdfs_by_size ON pdfs (space_id, size) WHERE blob IS NOT NULL;
CREATE INDEX events_waiting ON events (integration_id, size) WHERE state IN ('pending', 'failed', 'claimed');
CREATE INDEX events_over ON events (integration_id, state, source, seq) WHERE state IN ('delivered', 'given-up');
CREATE INDEX installations_large ON installations (organization_id, size) WHERE size > 0;
CREATE INDEX space_installations_large ON space_installations (installation_id, size) WHERE size > 0;
CREATE INDEX site_installations_large ON site_installations (installation_id, size) WHERE size > 0;
CREATE INDEX blobs_of_organization ON blobs (organization_id, sent_at, size);
COMMIT;
