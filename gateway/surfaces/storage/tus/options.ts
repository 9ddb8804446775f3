import { type Config } from '../../../config/config.ts';
import { type Call, type Method } from '../../../http/route.ts';
import { type Caller } from '../../../identity/caller.ts';
import { type Resumable } from '../../../objects/resumable.ts';
import { type Place } from '../../../objects/store.ts';
import { type Gate } from '../gate.ts';
import { type Holders } from './holders.ts';
import { type Uploads } from './uploads.ts';

/** What a client says of where a file is to go; an empty source is the default one. */
export type Wish = { key: string; bucket: string | undefined; storageId: string; contentType: string };

export type TusSources = {
  /** Bytes, where its settings say so; of a source that is not there nothing is said. */
  maxFileSize: (storageId: string) => number | undefined;
  /** @throws ApiError, in this order: for the key, the bucket, the source, the type. */
  destination: (wish: Wish) => { source: string; place: Place; store: Resumable };
  /** Undefined when the source is not there any more. */
  storeOf: (source: string) => Resumable | undefined;
};

export type TusOptions = {
  config: Pick<Config, 'basePath' | 'publicUrl' | 'trustedProxyHops'>;
  callerOf: (call: Call) => Caller | Promise<Caller>;
  /** Whether who has not signed in may use routes of a method, as far as nothing else speaks against it. */
  mayBeNobody: (method: Method) => boolean;
  gate: Gate;
  uploads: Uploads;
  holders: Holders;
  sources: TusSources;
};
