/** Where the plan of a signal stands on the page of its symbol, as the end of an address names it. */
export const planPlace = (signalId: string): string => `plan-${signalId}`
