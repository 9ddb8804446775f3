export type Kept = {
  /** How often it was asked for. */
  uses: number;
  /** Characters of its texts. */
  length: number;
};

/** A statement as compiled. */
export type Compiled = Kept & {
  text: string;
  /** Where it belongs. */
  lane: 'point' | 'scan';
  enterFirst: boolean;
  /** Runs before it in its transaction; its value is the last parameter. */
  before?: string;
  /** Its answer is valid as long as its tag. */
  revalidates: boolean;
  /** Present for a read that may be coalesced with others. */
  coalescing?: Coalescing;
};

/** How reads of one shape may be coalesced, and how they have been until now. */
export type Coalescing = {
  /** Compiles the statement for several at the first use. Its rows have their place among the requests as their last column. */
  find: (values: number, caller: () => string) => Compiled | Promise<Compiled>;
  /** Values that surely spoil nothing for the others. A read with others goes alone. */
  takes: (values: readonly string[]) => boolean;
  /** Averages: the server's milliseconds for one alone and for one of several, bytes of an answer, how many that waited went together. */
  averages: { alone: number; coalesced: number; bytes: number; together: number };
  /** Statements for several whose time was measured since they are tried. */
  measured: number;
  /** So many go alone before several are tried again, and so many the next time. */
  rest: number;
  nextRest: number;
  /** How many went alone, how many were coalesced, and into how many statements. */
  counts: { alone: number; coalesced: number; statements: number };
};
