import type { TemplateOverrides } from '../mail-templates.ts';

/** The settings of the file that are not of one feature (sharedKeys). */
export type SharedSettingsFile = {
  auth?: {
    refreshTokenReuseIntervalSeconds?: number;
    allowedRedirectUris?: string[];
    providers?: Record<string, ProviderSetting>;
    signingKeys?: SigningKeySetting[];
    activeKid?: string;
    unlinkIdentities?: boolean;
    hooks?: Partial<Record<Hook, string>>;
    roles?: Record<string, { name?: string; description?: string; scopes?: string[]; assignable?: boolean }>;
    scopes?: Record<string, { label?: string; description?: string; target?: string }>;
    email?: { resetPasswordUrl?: string; verifyEmailUrl?: string; magicLinkUrl?: string };
  };
  email?: { templates?: TemplateOverrides };
};
export type Hook = 'before_user_create' | 'before_login' | 'customize_claims' | 'after_user_create' | 'before_user_delete';
export type ProviderSetting = {
  issuer?: string; authorizationUrl?: string; tokenUrl?: string; profileUrl?: string; emailsUrl?: string; tokenInfoUrl?: string;
  scopes?: string[]; tenantId?: string; trustEmail?: boolean;
};
export type SigningKeySetting = { kid: string; privateKey: string | { env: string } };
