import { ApiError } from '../../error.ts';
import { openSpool, type Spool } from '../../blobs/spool.ts';
import { DEFAULT_SOURCE, type Kind, type Place, type Store } from '../../blobs/store.ts';
import type { Fields } from './form.ts';
import type { Bound } from './gate.ts';
import { largestLimit, requireAnnounced, tooLarge, uploadLimit } from './source-limits.ts';
import type { Source, Sources } from './sources.ts';

/** Where a file is stored, and as what. */
export type Destination = { source: Source; place: Place; kind: Kind; bound: Bound | undefined };

/** The file of a form, on its way to its destination. */
export type ReceivedFile = Spool & {
  /** The destination that the complete form names. @throws ApiError when the file may not be stored there. */
  destination: (fields: Fields, authorize: (size: number) => Promise<Destination>) => Promise<Destination>;
};

export type ReceiveOptions = {
  sources: Sources;
  /** The source unless a field names another. */
  storageId: string | undefined;
  /** Bytes of the whole form. */
  announced: number | undefined;
  /** The fields before the file and the destination that they name, when the key is among them. */
  early?: { fields: Fields; destination: Promise<Destination> } | undefined;
  /** Whether the authorization needs the size of the file, so that it runs again at the end. */
  asksAgain: boolean;
};

/**
 * Opens a sink for the file of a form. Its bytes go to the store at once where the destination is known and the store has no disk; else
 * into a spool file.
 * @throws ApiError what refuses the early destination; 413 PAYLOAD_TOO_LARGE.
 */
export async function receiveFile({ sources, storageId, announced = 0, early, asksAgain }: ReceiveOptions): Promise<ReceivedFile> {
  const known = await early?.destination;
  const propertyLimit = known?.bound?.maxSize ?? Infinity;
  const isDirect = known !== undefined && known.source.store.aside === undefined;
  let sourceLimit = known === undefined ? largestLimit(sources) : uploadLimit(known.source);
  let size = 0;
  requireAnnounced(announced, sourceLimit);
  const spool = known !== undefined && isDirect ? await directly(known) : await openSpool(likelyStore());

  return {
    ...spool, destination,
    async write(bytes) {
      size += bytes.length;
      requireFit();
      // A larger file is refused at the end by `authorize`, whose error has its size.
      if (size <= propertyLimit) await spool.write(bytes);
    },
  };

  function likelyStore(): Store | undefined {
    return (known?.source ?? sources.served.find(({ key }) => key === (storageId ?? DEFAULT_SOURCE)))?.store;
  }

  async function destination(fields: Fields, authorize: (size: number) => Promise<Destination>): Promise<Destination> {
    const isSame = early !== undefined && isSameForm(early.fields, fields);
    if (isSame && size <= propertyLimit && !asksAgain) return early.destination;
    if (isDirect && !isSame) throw new ApiError(400, 'BAD_REQUEST', 'Send the fields of the form before its file.');
    const authorized = await authorize(size);
    sourceLimit = uploadLimit(authorized.source);
    requireFit();
    return authorized;
  }

  function requireFit(): void {
    if (size > sourceLimit) throw tooLarge(sourceLimit);
  }
}

async function directly({ source: { store }, place, kind }: Destination): Promise<Spool> {
  const { finish, ...intake } = await store.intake(place, kind);
  return { ...intake, moveTo: finish };
}

function isSameForm(one: Fields, other: Fields): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}
