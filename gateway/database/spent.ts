/** Milliseconds that statements waited for a connection, and that the server was at them. */
export type Spent = { waited: number; served: number };

/** Adds to the time of a client's statements. */
export function spend(spent: Spent, waited: number, served = 0): void {
  spent.waited += waited;
  spent.served += served;
}
