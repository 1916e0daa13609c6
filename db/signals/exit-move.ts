import { exitStatusesBefore, type ExitState } from '#domain/exit.ts'

/** `forward` allows the present state of the exit, `further` only a new one. A late write is ignored. */
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
