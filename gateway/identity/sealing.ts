import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts values that have to be read again. `context`: the owner; sealed for another owner a value does not open. */
export type Sealing = {
  seal: (text: string, context: string) => Buffer;
  /** `isStale`: it was sealed by a key that is no longer the first. @throws Error when no key opens it. */
  open: (sealed: Buffer, context: string) => { text: string; isStale: boolean };
};

type Key = { id: Buffer; key: Buffer };

/** Bytes of a sealed text: the id of the key, a nonce of its own (NIST SP 800-38D section 8.2.2), the tag, then what is encrypted. */
const [ID, NONCE, TAG] = [8, 12, 16] as const;

/** AES-256-GCM. The first of the secrets seals, each opens. */
export function createSealing(secrets: readonly [...string[], string]): Sealing {
  const keys = secrets.map(keyOf);
  const [first] = keys as [Key];

  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([first.id, nonce, cipher.getAuthTag(), encrypted]);
    },
    open(sealed, context) {
      const used = keys.find(({ id }) => id.equals(sealed.subarray(0, ID)));
      if (used === undefined) throw new Error('The key that this was encrypted by is not among those of MFA_ENCRYPTION_KEY.');
      const [nonce, tag] = [sealed.subarray(ID, ID + NONCE), sealed.subarray(ID + NONCE, ID + NONCE + TAG)];
      const decipher = createDecipheriv('aes-256-gcm', used.key, nonce, { authTagLength: TAG });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      const text = Buffer.concat([decipher.update(sealed.subarray(ID + NONCE + TAG)), decipher.final()]);
      return { text: text.toString('utf8'), isStale: used !== first };
    },
  };
}

/** Neither the id nor the key tells anything of the secret, which may be that of tokens (RFC 5869). */
function keyOf(secret: string): Key {
  const derived = (purpose: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', `rowgate mfa ${purpose}`, length));
  return { id: derived('key id', ID), key: derived('key', 32) };
}
