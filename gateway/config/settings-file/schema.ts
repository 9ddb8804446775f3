import {
  bool, either, functionName, list, mapOf, name, object, oneOf, schemaText, text, whole, type Schema,
} from '../../json/json-schema.ts';
import { MAIL_KINDS } from '../mail-templates.ts';

const url = (description: string): Schema => text(description, {
  pattern: '^https?://[^\\s?#]+$', 'x-expected': 'an absolute http or https URL, without a query or fragment',
});

const signingKey = object('A private key and its name.', {
  kid: name('Its name in token headers and in the published key set.'),
  privateKey: either(
    'PEM, of EC P-256 or RSA.', 'a text, or {"env": …}', name(''), object('', { env: name('A variable that holds it.') }, ['env']),
  ),
}, ['kid', 'privateKey']);

const hook = (description: string): Schema => ({ ...functionName, description: `SQL function: ${description}` });

/** 99999 days. */
const MOST_MILLISECONDS = 8_639_913_600_000;

const scopeName = text('', { pattern: '^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*(:\\S+)?$', 'x-expected': 'a scope, such as project:deploy' });

const role = object('A role that accounts may have.', {
  name: text('As people read it.'),
  description: text(''),
  scopes: list('What it may do.', scopeName),
  assignable: bool('Whether a manager of accounts who lacks the role may assign it. Admins assign every role.', false),
});

const scope = object('A scope of the project\'s own.', {
  label: text('As people read it.'),
  description: text(''),
  target: text('What it may be narrowed to.'),
});

const auth = object('Accounts and their tokens.', {
  accessExpiresIn: text('JWT_ACCESS_EXPIRES_IN.'),
  refreshExpiresIn: text('JWT_REFRESH_EXPIRES_IN.'),
  refreshTokenReuseIntervalSeconds: whole('How long a refresh token that was used is still taken.', 0, 3_600),
  allowedRedirectUris: list('Where providers may send people back to.', text('')),
  signingKeys: list('Keys that access tokens are signed with, the newest first. JWT_PRIVATE_KEY takes their place.', signingKey),
  activeKid: name('The key that signs; the first one by default.'),
  hooks: object('SQL functions that take part.', {
    before_user_create: hook('may change or refuse an account before it is made.'),
    before_login: hook('may refuse a sign-in.'),
    customize_claims: hook('adds claims to an access token.'),
    after_user_create: hook('after an account is made.'),
    before_user_delete: hook('may refuse a deletion.'),
  }),
  unlinkIdentities: bool('Whether the first proof of an address removes what others may have linked; else it is refused.', true),
  roles: mapOf('Roles with scopes, by their ids.', role),
  scopes: mapOf('Scopes of the project, by their names.', scope),
  email: object('Where links in mails lead to; FRONTEND_URL by default.', {
    resetPasswordUrl: url('Of the page that sets a password.'),
    verifyEmailUrl: url('Of the page that confirms an address; resetPasswordUrl by default.'),
    magicLinkUrl: url('Of the page that signs in by link; resetPasswordUrl by default.'),
  }),
});

const template = object('Parts that take the place of the service\'s own. {{name}} is a placeholder.', {
  subject: name(''),
  html: name('Values are escaped.'),
  text: name(''),
});

const email = object('Mail.', {
  appName: text('APP_NAME.'),
  logoUrl: text('EMAIL_LOGO_URL.'),
  templates: object('', Object.fromEntries(MAIL_KINDS.map(kind => [kind, template]))),
});

const channelRule = object('Channels that keep their messages: so many, so long, or both.', {
  match: text('The name of a channel, or with * at its end how names begin.', {
    pattern: '^([^*]{1,200}|[^*]{0,199}\\*)$', 'x-expected': 'the name of a channel, or the beginning of names with * at its end',
  }),
  limit: whole('How many messages.', 1, 1_000_000),
  ttl: either(
    'How long, in milliseconds or with a unit.', 'a whole number of milliseconds, or a text such as 30s, 15m, 24h or 7d',
    whole('', 1_000, MOST_MILLISECONDS), text('', { pattern: '^[1-9][0-9]{0,4}[smhd]$' }),
  ),
}, ['match']);

const realtime = object('Realtime.', {
  authorize: hook('whether a caller may join a channel, broadcast, see who is present, read what was said.'),
  channels: list('Channels that keep their messages; the first match counts.', channelRule),
});

const keyPath = name('Of keys, by segments: a literal, * for one, :name for one that functions are told, ** at the end for any number.', {
  examples: ['posts/:id/**'],
});
const event = oneOf('', 'finalize', 'delete');

const storagePolicy = object('Who may do something with files. Any that allows is enough; what none allows is refused.', {
  path: keyPath,
  operations: list('All four by default.', oneOf('', 'read', 'write', 'delete', 'list'), { minItems: 1 }),
  allow: either(
    'Everybody, whoever has signed in, whom a SQL function or a row allows it: who sees the row may read and list, who may change it may '
    + 'write and delete.',
    '"public", "authenticated", {"function": …} or {"row": …, "id": …}',
    { enum: ['public', 'authenticated'] },
    object('', { function: hook('(request jsonb) returns boolean.') }, ['function']),
    object('', { row: name('Slug of its collection.'), id: name('The name in the path that is its id.') }, ['row', 'id']),
  ),
}, ['path', 'allow']);

const storage = object('Files.', {
  authorize: hook('(request jsonb) returns boolean: whether a file may be read, written, deleted, a folder listed.'),
  policies: list('Who may do what, by the keys of files.', storagePolicy),
  triggers: list('SQL functions that are told of files.', object('', {
    path: keyPath,
    events: list('', event, { minItems: 1 }),
    handler: hook('(event jsonb) returns void.'),
  }, ['path', 'events', 'handler'])),
  sources: mapOf('Where files lie besides the default source, by the names that requests choose them by.', object('', {
    engine: oneOf('', 'local', 's3', 'gcs'),
    label: text('As people read it.'),
    account: name('Whose credentials it has.'),
  }, ['engine'])),
});

export const settingsFileSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Rowgate settings',
  ...object('Settings that are no single value. An environment variable goes before its key here.', {
    $schema: text('For editors.'), auth, email, realtime, storage,
  }),
};

/** The text of schemas/settings.schema.json. */
export function publishedSettingsSchema(): string {
  return schemaText(settingsFileSchema);
}
