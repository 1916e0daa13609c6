import { exitStatusesBefore, type ExitState } from '#domain/exit.ts'

/**
 * Whether a write moves the exit of a signal forward, as two columns of a select: `forward` is also true for the state that
 * the exit has already, `further` only for a new one. A late write of an abandoned attempt, or a repeated one, may find the
 * exit in a later state: that is no error, and the write is ignored.
 */
export function exitMove({ generation, status }: ExitState): { columns: string; parameters: unknown[] } {
  const before = exitStatusesBefore(status)
  const beyond = (from: readonly string[]) =>
    `coalesce(exit_generation < ? or (exit_generation = ? and exit_status = any(array[${from.map(() => '?')}]::text[])), true)`
  const parametersFor = (from: readonly string[]) => [generation, generation, ...from]
  const standing = [...before, status]
  return {
    columns: `${beyond(standing)} as forward, ${beyond(before)} as further`,
    parameters: [...parametersFor(standing), ...parametersFor(before)],
  }
}
