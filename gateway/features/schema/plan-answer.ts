import { ApiError, BootError, type ErrorCode } from '../../error.ts';
import { EditError } from '../../collections/edit/file-edit.ts';
import type { Proposal } from './change.ts';
import type { Change, ProjectPlan, Step } from './options.ts';

const VERDICTS = ['safe', 'diverges', 'needs-migration'] as const;

/** Rules and other settings of the collection itself are what is proposed; of other collections they are changes to be told. */
export function withoutOwn({ changes, steps }: ProjectPlan, collectionId: string): ProjectPlan {
  return { changes: changes.filter(({ kind, collection }) => kind !== 'change-collection' || collection !== collectionId), steps };
}

/** The worst of them. */
function verdictOf(changes: readonly Change[]): Change['verdict'] {
  return VERDICTS.findLast(verdict => changes.some(change => change.verdict === verdict)) ?? 'safe';
}

export function planAnswer({ changes, steps }: ProjectPlan, message: string, file: string) {
  const verdict = verdictOf(changes);
  return {
    applicable: verdict === 'safe', verdict, message,
    changes: changes.map(shown),
    statements: steps.flatMap(({ statement }) => statement ?? []),
    files: [file],
    withheldConstraints: steps.filter(step => step.verdict === 'withheld').map(({ target, kind, detail, remedy }) =>
      ({ target, kind: kind.replaceAll(' ', '-'), reason: detail, ...(remedy !== null && { remedy }) })),
    followUp: steps.filter(step => step.verdict === 'report').map(inWords),
  };
}

function shown({ kind, verdict, collection, property, detail, remedy }: Change): object {
  return { kind, verdict, collection, ...(property !== null && { property }), detail, ...(remedy !== null && { remedy }) };
}

function inWords({ target, detail, remedy }: Step): string {
  return [`${target}: ${detail ?? 'differs'}`, ...(remedy === null ? [] : [remedy])].join(' ');
}

/** The subject of a commit. */
const WORDS: Record<string, (change: Change) => string> = {
  'add-collection': ({ collection }) => `Add ${collection}`,
  'add-property': ({ collection, property }) => `Add ${property ?? ''} to ${collection}`,
  'change-required': ({ collection, property }) => `Change whether ${property ?? ''} of ${collection} is required`,
  'add-enum-value': ({ collection, property }) => `Add a value to ${property ?? ''} of ${collection}`,
};

export function messageOf({ changes }: ProjectPlan, { collectionId }: Proposal): string {
  const [change, ...more] = changes;
  const words = change && WORDS[change.kind]?.(change);
  return words !== undefined && more.length === 0 ? words : `Change ${collectionId}`;
}

/**
 * Wraps the reasons for which a start would refuse the files in this code, in the words of the start; returns any other failure unchanged.
 */
export function refused(code: ErrorCode, error: unknown): unknown {
  if (!(error instanceof BootError || error instanceof EditError)) return error;
  return new ApiError(400, code, error.message, { problems: error.message.split('\n') }, { cause: error });
}
