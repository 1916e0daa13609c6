/** Present instant by the history, because the SDK replaces Date: a replay sees the same. */
export const workflowNow = (): string => new Date().toISOString()

export const millisecondsUntil = (instant: string): number => Math.max(0, Date.parse(instant) - Date.now())

export const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
