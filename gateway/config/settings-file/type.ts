import type { TemplateOverrides } from '../mail-templates.ts';

/** What stands in the settings file and in no variable. Its form is settingsFileSchema's. */
export type SettingsFile = {
  auth?: {
    refreshTokenReuseIntervalSeconds?: number;
    allowedRedirectUris?: string[];
    signingKeys?: SigningKeySetting[];
    activeKid?: string;
    unlinkIdentities?: boolean;
    hooks?: Partial<Record<Hook, string>>;
    roles?: Record<string, { name?: string; description?: string; scopes?: string[]; assignable?: boolean }>;
    scopes?: Record<string, { label?: string; description?: string; target?: string }>;
    email?: { resetPasswordUrl?: string; verifyEmailUrl?: string; magicLinkUrl?: string };
  };
  email?: { templates?: TemplateOverrides };
  realtime?: { authorize?: string; channels?: ChannelRuleSetting[] };
  storage?: StorageSetting;
};
export type Hook = 'before_user_create' | 'before_login' | 'customize_claims' | 'after_user_create' | 'before_user_delete';
export type SigningKeySetting = { kid: string; privateKey: string | { env: string } };
/** `ttl`: milliseconds, or a text such as 15m. */
export type ChannelRuleSetting = { match: string; limit?: number; ttl?: number | string };
/** Who may do what with files, who is told of them, and where they lie. Functions are those of SQL. */
export type StorageSetting = {
  authorize?: string;
  policies?: StoragePolicySetting[];
  triggers?: { path: string; events: ('finalize' | 'delete')[]; handler: string }[];
  sources?: Record<string, StorageSourceSetting>;
};
/** `id`: which name of the path is the row's. */
export type StoragePolicySetting = {
  path: string;
  operations?: ('read' | 'write' | 'delete' | 'list')[];
  allow: 'public' | 'authenticated' | { function: string } | { row: string; id: string };
};
export type StorageSourceSetting = { engine: 'local' | 's3' | 'gcs'; label?: string; account?: string };
