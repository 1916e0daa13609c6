import { exitStatusesBefore, type ExitState } from '#domain/exit.ts'

/**
 * Whether a write moves the exit of a signal on, as two columns of a select: `forward` is true as well for the
 * standing that it has already, `further` only for a new one. A write that was given up and finishes late, and one
 * that is repeated with the steps before it, may both find the exit beyond it: they are not wrong, they are past.
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
