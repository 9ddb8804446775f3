import { ApiError } from '../../error.ts';
import { openOverflow } from '../../blobs/overflow.ts';
import { openSpool, type Spool } from '../../blobs/spool.ts';
import { type Kind, type Place, type Store } from '../../blobs/store.ts';
import { type Fields, type FileSink } from './form.ts';
import { type Bound } from './gate.ts';
import { largestLimit, requireAnnounced, tooLarge, uploadLimit } from './source-limits.ts';
import { DEFAULT_SOURCE, type Source, type Sources } from './sources.ts';

/** Where a file goes, and what as. */
export type Destination = { source: Source; place: Place; kind: Kind; bound: Bound | undefined };

/** Takes in the file of a form. */
export type FileTaker = FileSink & Pick<Spool, 'moveTo' | 'drop'> & {
  readonly isFree: boolean;
  ready: () => Promise<void>;
  /** Where all of the form says that it goes. @throws ApiError what refuses it there. */
  destination: (fields: Fields, judge: (size: number) => Promise<Destination>) => Promise<Destination>;
};

export type TakerOptions = {
  sources: Sources;
  /** Where it goes unless a field says otherwise. */
  storageId: string | undefined;
  /** Bytes of the whole form. */
  announced: number | undefined;
  /** What the fields before the file say, with its key among them. */
  early?: { fields: Fields; destination: Promise<Destination> } | undefined;
  /** Whether who judged that has something to say to the size. */
  asksAgain: boolean;
};

export function fileTaker({ sources, storageId, announced = 0, early, asksAgain }: TakerOptions): FileTaker {
  const before = openOverflow();
  let spool: Spool | undefined;
  let isDirect = false;
  let isFree = false;
  let size = 0;
  let limit = largestLimit(sources);
  let most = Infinity;
  const opening = open();
  opening.catch(() => undefined); // whoever waits is told

  return { push, ready, destination, moveTo, drop, get isFree() { return isFree; } };

  async function open(): Promise<void> {
    const known = await early?.destination;
    limit = known === undefined ? limit : uploadLimit(known.source);
    most = known?.bound?.maxSize ?? Infinity;
    requireAnnounced(announced, limit);
    requireFit(size);
    isDirect = known !== undefined && known.source.store.aside === undefined;
    const opened = known !== undefined && isDirect ? await intoStore(known) : await openSpool(likely(known));
    try {
      for (let bytes = await before.next(); bytes !== undefined; bytes = await before.next()) if (!opened.push(bytes)) await opened.ready();
    } catch (error) {
      await opened.drop();
      throw error;
    }
    spool = opened;
    isFree = true;
  }

  function likely(known: Destination | undefined): Store | undefined {
    return (known?.source ?? sources.served.find(({ key }) => key === (storageId ?? DEFAULT_SOURCE)))?.store;
  }

  function push(bytes: Uint8Array): void {
    size += bytes.length;
    requireFit(size);
    if (size > most) return; // refused in the end, by how large it is
    if (spool === undefined) before.add(bytes);
    else keep(spool, bytes);
  }

  function keep({ push }: Spool, bytes: Uint8Array): void {
    isFree = push(bytes) && isFree;
  }

  async function ready(): Promise<void> {
    await opening;
    await spool?.ready();
    isFree = true;
  }

  async function destination(fields: Fields, judge: (size: number) => Promise<Destination>): Promise<Destination> {
    await opening;
    const isSame = early !== undefined && isSameForm(early.fields, fields);
    if (isSame && size <= most && !asksAgain) return early.destination;
    if (isDirect && !isSame) throw new ApiError(400, 'BAD_REQUEST', 'Send the fields of the form before its file.');
    const judged = await judge(size);
    limit = uploadLimit(judged.source);
    requireFit(size);
    return judged;
  }

  function requireFit(size: number): void {
    if (size > limit) throw tooLarge(limit);
  }

  async function moveTo(...target: Parameters<Spool['moveTo']>): ReturnType<Spool['moveTo']> {
    await opening;
    before.close();
    return (spool as Spool).moveTo(...target);
  }

  async function drop(): Promise<void> {
    await opening.catch(() => undefined);
    before.close();
    await spool?.drop();
  }
}

async function intoStore({ source: { store }, place, kind }: Destination): Promise<Spool> {
  const { finish, ...intake } = await store.intake(place, kind);
  return { ...intake, moveTo: finish };
}

function isSameForm(one: Fields, other: Fields): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}
