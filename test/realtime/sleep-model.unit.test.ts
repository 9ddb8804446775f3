import { test } from 'tap';

/*
 * The protocol of gateway/features/realtime/changes.ts and service_private.announce_change, in all orders in which a gateway and two
 * writers can take their steps. A writer's steps: it writes (and has a number), reads the leases, announces, notifies, commits. The
 * gateway's: it takes a lease, notes the bound, polls, declares that it sleeps, notes the bound, polls until all below are over, sleeps
 * until a notification. When no step is possible any more, the gateway must have polled (or read everything) after each commit of a change
 * that was not announced to it.
 */

type Writer = { at: 'idle' | 'wrote' | 'looked' | 'told' | 'over'; xid: number; sawLease: boolean; sawAwake: boolean };
type Gateway = {
  at: 'new' | 'asked' | 'bound' | 'looking' | 'rested' | 'leaving' | 'asleep';
  bound: number;
  /** How many writers below the bound were under way at its last look. */
  left: number;
};
type State = {
  gateway: Gateway;
  writers: Writer[];
  /** The committed state: the lease, whether it is awake, and whether it was notified. */
  lease: boolean;
  awake: boolean;
  rung: boolean;
  nextXid: number;
  /** Writers whose commit the outbox tells, of those not yet taken. */
  outbox: number[];
  /** Writers that committed after the gateway last read everything that they wrote. */
  stale: number[];
};

type Faults = { looksAgain: boolean; waitsForOlder: boolean; ringsSleeping: boolean };
const CORRECT: Faults = { looksAgain: true, waitsForOlder: true, ringsSleeping: true };

const first: State = {
  gateway: { at: 'new', bound: 0, left: 0 }, lease: false, awake: true, rung: false, nextXid: 1, outbox: [], stale: [],
  writers: [1, 2].map(() => ({ at: 'idle', xid: 0, sawLease: false, sawAwake: false })),
};

/** Every state that one step leads to. */
function next(state: State, faults: Faults): State[] {
  return [...state.writers.flatMap((_, i) => afterWriter(state, i, faults)), ...afterGateway(state, faults)];
}

function afterWriter(state: State, i: number, { ringsSleeping }: Faults): State[] {
  const writer = state.writers[i] as Writer;
  const become = (changes: Partial<Writer>, others: Partial<State> = {}): State[] =>
    [{ ...state, ...others, writers: state.writers.map((other, j) => j === i ? { ...writer, ...changes } : other) }];
  switch (writer.at) {
    case 'idle': return become({ at: 'wrote', xid: state.nextXid }, { nextXid: state.nextXid + 1 });
    case 'wrote': return become({ at: 'looked', sawLease: state.lease, sawAwake: state.awake });
    case 'looked': return become({ at: 'told' });
    case 'told': return become({ at: 'over' }, {
      outbox: writer.sawLease ? [...state.outbox, i] : state.outbox,
      rung: state.rung || (ringsSleeping && writer.sawLease && !writer.sawAwake),
      stale: [...state.stale, i],
    });
    case 'over': return [];
  }
}

const underWay = ({ writers }: State, bound: number): number =>
  writers.filter(({ at, xid }) => at !== 'idle' && at !== 'over' && xid < bound).length;

function afterGateway(state: State, { looksAgain, waitsForOlder }: Faults): State[] {
  const { gateway } = state;
  const become = (changes: Partial<Gateway>, others: Partial<State> = {}): State[] =>
    [{ ...state, ...others, gateway: { ...gateway, ...changes } }];
  const bound = { bound: state.nextXid, left: Infinity };
  switch (gateway.at) {
    case 'new': return become({ at: 'asked' }, { lease: true });
    case 'asked': return become({ at: 'bound', ...bound }, { nextXid: state.nextXid + 1 });
    // A new subscriber reads everything once.
    case 'bound': return become({ at: 'looking' }, { stale: [] });
    case 'looking': {
      const left = underWay(state, gateway.bound);
      const isSettled = left === 0 || !waitsForOlder;
      const heard = state.outbox.length > 0 || (looksAgain && left < gateway.left);
      const looked = { outbox: [], rung: false, ...(heard && { stale: [] }) };
      // It may poll again, or, where no transaction is left, declare that it sleeps.
      return [
        ...(heard || left !== gateway.left || state.rung ? become({ left }, looked) : []),
        ...(isSettled && !heard ? become({ at: 'rested', left }, { ...looked, awake: false }) : []),
      ];
    }
    case 'rested': return become({ at: 'leaving', ...bound }, { nextXid: state.nextXid + 1 });
    case 'leaving': {
      const left = underWay(state, gateway.bound);
      const heard = state.outbox.length > 0;
      const looked = { outbox: [], rung: false, ...(heard && { stale: [] }) };
      if (heard) return become({ at: 'looking', left }, { ...looked, awake: true });
      if (left === 0 || !waitsForOlder) return become({ at: 'asleep', left }, looked);
      return left === gateway.left ? [] : become({ left }, looked);
    }
    case 'asleep': return state.rung ? become({ at: 'looking' },
      { awake: true, rung: false, ...(state.outbox.length > 0 && { stale: [] }), outbox: [] }) : [];
  }
}

/** The number of states, and one without a further step in which a change was missed. */
function explore(faults: Faults): { states: number; missed: State | undefined } {
  const known = new Set<string>();
  const open = [first];
  let missed: State | undefined;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (known.has(key)) continue;
    known.add(key);
    const steps = next(state, faults);
    if (steps.length === 0 && state.stale.length > 0) missed ??= state;
    open.push(...steps);
  }
  return { states: known.size, missed };
}

test('in every order of their steps the gateway hears of what writers commit', t => {
  const { states, missed } = explore(CORRECT);
  t.ok(states > 1_000, `${states} states`);
  t.same(missed, undefined);
  t.end();
});

test('each part of the protocol is needed', t => {
  for (const fault of Object.keys(CORRECT)) t.not(explore({ ...CORRECT, [fault]: false }).missed, undefined, `without: ${fault}`);
  t.end();
});
