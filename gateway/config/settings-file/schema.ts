import { bool, either, list, mapOf, name, object, sqlFunction, text, whole, type Schema } from '../../json/json-schema.ts';
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

const providerUrl = (description: string): Schema => text(description, {
  pattern: '^https?://[^\\s#]+$', 'x-expected': 'an absolute http or https URL, without a fragment',
});

const provider = object('A provider that people sign in with.', {
  issuer: providerUrl('Of OpenID Connect; its metadata lie below.'),
  authorizationUrl: providerUrl('Where people are sent.'),
  tokenUrl: providerUrl('Where a code is exchanged.'),
  profileUrl: providerUrl('Where the profile, or userinfo, is read.'),
  emailsUrl: providerUrl('Where addresses are read.'),
  tokenInfoUrl: providerUrl('Where access tokens are judged.'),
  scopes: list('What is asked for.', name('')),
  tenantId: text('The tenant at Microsoft.', { pattern: '^[\\w.-]+$', 'x-expected': 'the id or the domain of a tenant' }),
  trustEmail: bool('Whether an address counts that the issuer sends without email_verified.', false),
});

const auth = object('Accounts and their tokens.', {
  accessExpiresIn: text('JWT_ACCESS_EXPIRES_IN.'),
  refreshExpiresIn: text('JWT_REFRESH_EXPIRES_IN.'),
  refreshTokenReuseIntervalSeconds: whole('How long a refresh token that was used is still taken.', 0, 3_600),
  allowedRedirectUris: list('Where providers may send people back to.', text('')),
  providers: mapOf('What stands in place of a provider\'s own, by its name.', provider),
  signingKeys: list('Keys that access tokens are signed with, the newest first. JWT_PRIVATE_KEY takes their place.', signingKey),
  activeKid: name('The key that signs; the first one by default.'),
  hooks: object('SQL functions that take part.', {
    before_user_create: sqlFunction('may change or refuse an account before it is made.'),
    before_login: sqlFunction('may refuse a sign-in.'),
    customize_claims: sqlFunction('adds claims to an access token.'),
    after_user_create: sqlFunction('after an account is made.'),
    before_user_delete: sqlFunction('may refuse a deletion.'),
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

/** The keys that are not of one feature. */
export const sharedKeys = { auth, email };
