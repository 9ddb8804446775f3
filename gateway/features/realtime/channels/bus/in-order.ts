/** Runs what is given for the same name one after the other: at once when nothing is under way. What it is given never throws. */
export function inOrder(): (name: string, work: () => void | Promise<void>) => void {
  const underWay = new Map<string, Promise<void>>();

  return (name, work) => {
    const before = underWay.get(name);
    const done = before === undefined ? work() : before.then(work);
    if (done === undefined) return;
    const after = done.then(() => { if (underWay.get(name) === after) underWay.delete(name); });
    underWay.set(name, after);
  };
}
