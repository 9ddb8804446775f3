import type postgres from 'postgres';
import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Upload } from '../../../blobs/resumable.ts';

/** Payload: the token of a request that has to release its upload. */
export const UPLOADS_CHANNEL = 'service_uploads';

/** The owner of an upload, who may continue it; null: anyone, or as the asking caller, one that may use every upload. */
export type Owner = string | null;

/** An upload as service_private.upload_json has it. */
export type UploadRow = {
  id: string;
  source: string;
  bucket: string;
  key: string;
  contentType: string;
  /** As it was sent. */
  metadata: string;
  length: number;
  received: number;
  /** State of the store. */
  held: unknown;
  /** The request that writes, and the newest that wants to. */
  holder: string | null;
  claimant: string | null;
  finished: boolean;
  /** When it began. */
  created: string;
  /** The account that is recorded as the uploader; null: an anonymous client. */
  creator: Creator | null;
};

export type Creator = { uid: string; roles: string[]; email?: string };
export type NewUpload = { upload: Upload; source: string; creator: Creator | null; metadata: string };

/** service_private.upload_creator */
export type CreatorNow =
  | { kind: 'anonymous' | 'service' }
  | { kind: 'user'; uid: string; roles: string[]; isGuest: boolean }
  | { kind: 'key'; uid: string; roles: string[]; scopes: string[]; id: string };

/** The statements about uploads, each a function of sql/storage/uploads. A `token` names a request. @throws ApiError. */
export type Uploads = {
  create: (upload: NewUpload) => Promise<void>;
  /** @throws ApiError 404 NOT_FOUND, as `claim`. */
  show: (id: string, asker: Owner) => Promise<UploadRow>;
  claim: (id: string, asker: Owner, token: string) => Promise<UploadRow | null>;
  /** Null for a missing upload. */
  take: (id: string, token: string, stale?: string) => Promise<UploadRow | null>;
  /** False: a newer request wants it; null: another request holds it, and nothing was kept. */
  keep: (upload: Upload, token: string) => Promise<boolean | null>;
  /** Null as above. */
  release: (upload: Upload, token: string) => Promise<true | null>;
  /** Null when it was finished before. */
  finish: (id: string) => Promise<true | null>;
  remove: (id: string, token: string) => Promise<true | null>;
  /** An upload that was complete some minutes ago and is not finished; null without one. */
  whole: () => Promise<UploadRow | null>;
  /** An abandoned upload; null without one. */
  expired: (token: string) => Promise<UploadRow | null>;
  /** The current state of the caller who began one; null when it may do nothing any more. */
  creator: (id: string) => Promise<CreatorNow | null>;
};

/**
 * @param ask the owner's statements
 * @param accounts whether tokens stand for accounts
 */
export function uploadQueries(ask: AccountQuery, accounts: boolean): Uploads {
  return {
    async create({ upload: { id, place, kind, length, held }, source, creator, metadata }) {
      await one(id, sql => sql`select service_private.create_upload(
        ${id}, ${creator?.uid ?? null}, ${json(creator ?? undefined)}::text::jsonb, ${source}, ${place.bucket}, ${place.key},
        ${kind.contentType}, ${metadata}, ${length}, ${json(held)}::text::jsonb) as answer`);
    },
    show: (id, asker) => one(id, sql => sql`select service_private.show_upload(${id}, ${asker}) as answer`),
    claim: (id, asker, token) => one(id, sql => sql`select service_private.claim_upload(${id}, ${asker}, ${token}) as answer`),
    take: (id, token, stale) => one(id, sql => sql`select service_private.take_upload(${id}, ${token}, ${stale ?? null}) as answer`),
    keep: ({ id, offset, held }, token) =>
      one(id, sql => sql`select service_private.keep_upload(${id}, ${token}, ${offset}, ${json(held)}::text::jsonb) as answer`),
    release: ({ id, offset, held }, token) =>
      one(id, sql => sql`select service_private.release_upload(${id}, ${token}, ${offset}, ${json(held)}::text::jsonb) as answer`),
    finish: id => one(id, sql => sql`select service_private.finish_upload(${id}) as answer`),
    remove: (id, token) => one(id, sql => sql`select service_private.remove_upload(${id}, ${token}) as answer`),
    whole: () => one('whole', sql => sql`select service_private.whole_upload() as answer`),
    expired: token => one(token, sql => sql`select service_private.expired_upload(${token}) as answer`),
    creator: id => one(id, sql => sql`select service_private.upload_creator(${id}, ${accounts}) as answer`),
  };

  async function one<Answer>(who: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<postgres.Row[]>): Promise<Answer> {
    const [row] = await ask(who, statement);
    return row?.['answer'] as Answer;
  }
}

/** As its store has it. */
export function uploadOf({ id, bucket, key, contentType, length, received: offset, held }: UploadRow): Upload {
  return { id, place: { bucket, key }, kind: { contentType, custom: {} }, length, offset, ...(held !== null && { held }) };
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
