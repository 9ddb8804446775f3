/** Values of 32 characters and more that documentation and starter projects carry, so that every attacker has them. */
const published = new Set([
  'super-secret-jwt-token-with-at-least-32-characters-long',
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
  'your-super-secret-and-long-postgres-password',
  'a-string-secret-at-least-256-bits-long',
  'reallyreallyreallyreallyverysafe',
  'this-is-a-very-long-secret-key-for-jwt',
  'your-secret-key-at-least-32-characters-long',
  'your-secret-key-min-32-characters-long',
  'your_jwt_secret_key_at_least_32_characters_long',
  'your-jwt-secret-at-least-32-characters',
  'your-super-secret-jwt-key-change-this-in-production',
  'your-super-secret-jwt-key-change-in-production',
  'change-this-to-a-long-random-secret-value',
  'change-me-to-a-random-32-character-string',
  'changeme-changeme-changeme-changeme',
  'changemechangemechangemechangeme',
  'secretsecretsecretsecretsecretsecret',
  'passwordpasswordpasswordpassword',
  '0123456789abcdef0123456789abcdef',
  '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  '01234567890123456789012345678901',
  '12345678901234567890123456789012',
  'abcdefghijklmnopqrstuvwxyz123456',
  'abcdefghijklmnopqrstuvwxyz012345',
]);

/** A random secret of 32 hexadecimal digits holds fewer than 6 different characters about once in 10^13 draws. */
const fewestCharacters = 6;

/** Whether a secret can be had without guessing: published somewhere, or a few characters repeated. */
export function isWeakSecret(secret: string): boolean {
  return published.has(secret.toLowerCase()) || new Set(secret).size < fewestCharacters;
}

/** Passwords and secrets that docker-compose.yml has for development. */
const ours = ['rowgate-development', 'development-only-jwt-secret-a1b2c3d4e5f6', 'development-only-service-key-a1b2c3d4'];

/** Whether a secret, or a URL with one, is what this project publishes. */
export function isOurExample(secret: string): boolean {
  return ours.some(example => secret.includes(example));
}
