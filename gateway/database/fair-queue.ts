/** Waiting items by caller. Round-robin: a heavy caller delays only itself. */
export type FairQueue<Item> = {
  readonly size: number;
  /** False when it is full, or has too many of this caller. */
  push: (caller: string, item: Item) => boolean;
  /** The next whose caller may go on now. */
  next: (mayGo?: (caller: string) => boolean) => Item | undefined;
  /** Takes out those that are to go. */
  remove: (isGone: (item: Item) => boolean) => Item[];
};

const everyone = (): boolean => true;

/** How many may wait: a database that hangs would else fill this process's memory. One caller gets a quarter of it. */
export function createFairQueue<Item>(limit: number): FairQueue<Item> {
  /** Each caller's own, in the order of their turns. */
  const lines = new Map<string, Item[]>();
  let size = 0;

  return { push, next, remove, get size() { return size; } };

  function push(caller: string, item: Item): boolean {
    const line = lines.get(caller) ?? [];
    if (size >= limit || line.length >= limit / 4) return false;
    if (line.push(item) === 1) lines.set(caller, line);
    size++;
    return true;
  }

  function next(mayGo: (caller: string) => boolean = everyone): Item | undefined {
    for (const [caller, line] of lines) {
      if (!mayGo(caller)) continue;
      const item = line.shift();
      lines.delete(caller);
      if (line.length > 0) lines.set(caller, line);
      size--;
      return item;
    }
    return undefined;
  }

  function remove(isGone: (item: Item) => boolean): Item[] {
    const gone: Item[] = [];
    for (const [caller, line] of lines) {
      const kept = line.filter(item => !isGone(item) || gone.push(item) === 0);
      if (kept.length === 0) lines.delete(caller);
      else lines.set(caller, kept);
    }
    size -= gone.length;
    return gone;
  }
}
