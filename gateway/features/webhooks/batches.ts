/**
 * Has statements of one kind carry what several callers ask for. One runs at a time, and whatever is asked meanwhile goes with the next:
 * so no answer is older than its question, and however many ask, one waits.
 */
export function inBatches<Item, Answer>(run: (items: Item[]) => Promise<Answer>): (item: Item) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { items: Item[]; answer: Promise<Answer> } | undefined;
  return item => {
    if (next === undefined) {
      const items: Item[] = [];
      const answer = last.then(() => { next = undefined; return run(items); });
      next = { items, answer };
      last = answer.catch(() => undefined);
    }
    next.items.push(item);
    return next.answer;
  };
}
