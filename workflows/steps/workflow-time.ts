/** The SDK replaces Date in a workflow by the time of the history: a replay sees the same instants. */
export const workflowNow = (): string => new Date().toISOString()

export const millisecondsUntil = (instant: string): number => Math.max(0, Date.parse(instant) - Date.now())

export const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
