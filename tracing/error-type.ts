const ERROR_WORD = /^[A-Za-z][\w.-]{0,63}$/

export function errorTypeOf(error: unknown): string {
  const { type, code, name } = (error ?? {}) as { type?: unknown; code?: unknown; name?: unknown }
  const known = [type, code, name].find(
    (each): each is string => typeof each === 'string' && ERROR_WORD.test(each),
  )
  return known ?? 'Error'
}
