import { type TemplateOverrides } from '../mail-templates.ts';

/** What stands in the settings file and in no variable. Its form is settingsFileSchema's. */
export type SettingsFile = {
  auth?: {
    refreshTokenReuseIntervalSeconds?: number;
    allowedRedirectUris?: string[];
    signingKeys?: SigningKeySetting[];
    activeKid?: string;
    unlinkIdentities?: boolean;
    hooks?: Partial<Record<Hook, string>>;
    roles?: Record<string, { name?: string; description?: string; scopes?: string[] }>;
    scopes?: Record<string, { label?: string; description?: string; target?: string }>;
    email?: { resetPasswordUrl?: string; verifyEmailUrl?: string; magicLinkUrl?: string };
  };
  email?: { templates?: TemplateOverrides };
  realtime?: { authorize?: string; channels?: ChannelRuleSetting[] };
};
export type Hook = 'before_user_create' | 'before_login' | 'customize_claims' | 'after_user_create' | 'before_user_delete';
export type SigningKeySetting = { kid: string; privateKey: string | { env: string } };
/** `ttl`: milliseconds, or a text such as 15m. */
export type ChannelRuleSetting = { match: string; limit?: number; ttl?: number | string };
