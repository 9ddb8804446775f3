/** An identity as a provider tells it; a part that it does not tell is null. */
export type Identity = {
  providerId: string; email: string | null; emailVerified: boolean; displayName: string | null; photoUrl: string | null;
};
/** An object of JSON that another server sent: any of it may be missing, or something else. */
export type Told = Readonly<Record<string, unknown>>;

type Addresses = { authorizationUrl: string; tokenUrl: string; profileUrl: string; emailsUrl?: string };
type Common = { name: string; scopes: readonly string[] };
/** Its addresses come from its issuer's metadata. */
export type OpenIdRow = Common & {
  kind: 'openid';
  issuer: string;
  /** Judges access tokens. */
  tokenInfoUrl?: string;
  /** Without a client secret it takes ID tokens, and no codes. */
  secretIsOptional?: true;
  /** Apps on phones have clients of their own, which ask for tokens for the service's client: `azp` names theirs. */
  hasAppClients?: true;
  /** ID tokens that apps got from it may name it so. */
  otherIssuer?: string;
  /** Where its metadata do not say that the client authenticates in the body. */
  secretIn?: 'body';
  /** A code that comes with a verifier is refused, though it was sent with a challenge. */
  refusesVerifier?: true;
  /** Its ID tokens do not repeat the nonce. */
  omitsNonce?: true;
  /** Its word on the address, where that is not `email_verified`; undefined: none. */
  emailVerified?: (claims: Told) => boolean | undefined;
};
/** It has a profile instead of an ID token, and may have addresses behind a second call. */
export type ProfileRow = Common & Addresses & {
  kind: 'profile';
  /** How the client authenticates where its code is exchanged. */
  secretIn: 'header' | 'body';
  requiresVerifier?: true;
  identity: (profile: Told, emails: unknown) => { [Part in keyof Identity]: unknown };
};
export type ProviderRow = OpenIdRow | ProfileRow;

/** Each provider that people may sign in with. `email` and `emailVerified` stay as told: the caller checks every part. */
export const ROWS = [
  {
    name: 'google', kind: 'openid', issuer: 'https://accounts.google.com', scopes: ['openid', 'email', 'profile'],
    tokenInfoUrl: 'https://oauth2.googleapis.com/tokeninfo', secretIsOptional: true, hasAppClients: true,
    otherIssuer: 'accounts.google.com',
  },
  // {tenant}: the settings' tenantId. A tenant's administrator writes any address into its tokens. The optional claim xms_edov,
  // which is one of several spellings of true, says that the address is of a domain that the tenant has proven.
  {
    name: 'microsoft', kind: 'openid', issuer: 'https://login.microsoftonline.com/{tenant}/v2.0', scopes: ['openid', 'email', 'profile'],
    emailVerified: ({ xms_edov: verified }) => verified === undefined ? undefined : [true, 'true', 1, '1'].some(yes => yes === verified),
  },
  { name: 'apple', kind: 'openid', issuer: 'https://appleid.apple.com', scopes: ['name', 'email'], secretIn: 'body' },
  {
    name: 'linkedin', kind: 'openid', issuer: 'https://www.linkedin.com/oauth', scopes: ['openid', 'email', 'profile'], secretIn: 'body',
    refusesVerifier: true, omitsNonce: true,
  },
  { name: 'gitlab', kind: 'openid', issuer: 'https://gitlab.com', scopes: ['openid', 'email', 'profile'] },
  { name: 'slack', kind: 'openid', issuer: 'https://slack.com', scopes: ['openid', 'email', 'profile'] },
  {
    name: 'github', kind: 'profile', scopes: ['read:user', 'user:email'], secretIn: 'body',
    authorizationUrl: 'https://github.com/login/oauth/authorize', tokenUrl: 'https://github.com/login/oauth/access_token',
    profileUrl: 'https://api.github.com/user', emailsUrl: 'https://api.github.com/user/emails',
    identity: (profile, emails) => {
      const primary = primaryOf(emails, 'primary');
      return {
        providerId: profile['id'], email: primary['email'], emailVerified: primary['verified'],
        displayName: profile['name'] ?? profile['login'], photoUrl: profile['avatar_url'],
      };
    },
  },
  {
    name: 'bitbucket', kind: 'profile', scopes: ['account', 'email'], secretIn: 'header',
    authorizationUrl: 'https://bitbucket.org/site/oauth2/authorize', tokenUrl: 'https://bitbucket.org/site/oauth2/access_token',
    profileUrl: 'https://api.bitbucket.org/2.0/user', emailsUrl: 'https://api.bitbucket.org/2.0/user/emails',
    identity: (profile, emails) => {
      const primary = primaryOf(toldOf(emails)['values'], 'is_primary');
      return {
        providerId: profile['uuid'], email: primary['email'], emailVerified: primary['is_confirmed'],
        displayName: profile['display_name'], photoUrl: toldOf(toldOf(profile['links'])['avatar'])['href'],
      };
    },
  },
  {
    name: 'facebook', kind: 'profile', scopes: ['public_profile', 'email'], secretIn: 'body',
    authorizationUrl: 'https://www.facebook.com/v26.0/dialog/oauth', tokenUrl: 'https://graph.facebook.com/v26.0/oauth/access_token',
    profileUrl: 'https://graph.facebook.com/v26.0/me?fields=id,name,email,picture',
    identity: profile => ({
      providerId: profile['id'], email: profile['email'], emailVerified: false,
      displayName: profile['name'], photoUrl: toldOf(toldOf(profile['picture'])['data'])['url'],
    }),
  },
  {
    name: 'twitter', kind: 'profile', scopes: ['users.read', 'tweet.read', 'users.email'], secretIn: 'header', requiresVerifier: true,
    authorizationUrl: 'https://x.com/i/oauth2/authorize', tokenUrl: 'https://api.x.com/2/oauth2/token',
    profileUrl: 'https://api.x.com/2/users/me?user.fields=profile_image_url,confirmed_email',
    identity: ({ data }) => {
      const profile = toldOf(data);
      return {
        providerId: profile['id'], email: profile['confirmed_email'], emailVerified: profile['confirmed_email'] !== undefined,
        displayName: profile['name'], photoUrl: profile['profile_image_url'],
      };
    },
  },
  {
    name: 'discord', kind: 'profile', scopes: ['identify', 'email'], secretIn: 'body',
    authorizationUrl: 'https://discord.com/oauth2/authorize', tokenUrl: 'https://discord.com/api/v10/oauth2/token',
    profileUrl: 'https://discord.com/api/v10/users/@me',
    identity: ({ id, avatar, ...profile }) => ({
      providerId: id, email: profile['email'], emailVerified: profile['verified'],
      displayName: profile['global_name'] ?? profile['username'],
      photoUrl: typeof avatar === 'string' ? `https://cdn.discordapp.com/avatars/${String(id)}/${avatar}.png` : undefined,
    }),
  },
  // Its `id` may change.
  {
    name: 'spotify', kind: 'profile', scopes: ['user-read-email'], secretIn: 'header',
    authorizationUrl: 'https://accounts.spotify.com/authorize', tokenUrl: 'https://accounts.spotify.com/api/token',
    profileUrl: 'https://api.spotify.com/v1/me',
    identity: profile => ({
      providerId: profile['account_id'], email: profile['email'], emailVerified: false, displayName: profile['display_name'],
      photoUrl: toldOf(listOf(profile['images'])[0])['url'],
    }),
  },
] as const satisfies readonly ProviderRow[];

export type ProviderName = (typeof ROWS)[number]['name'];

export function toldOf(value: unknown): Told {
  return typeof value === 'object' && value !== null ? value as Told : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function primaryOf(emails: unknown, mark: string): Told {
  return listOf(emails).map(toldOf).find(entry => entry[mark] === true) ?? {};
}
