/** The fields of the form at which faults stand whose own fields take none. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  quantityType: 'quantity',
  orderType: 'targetPosition',
  accountIds: 'accountId',
  protection: 'protection.stop',
}
const WAYS_OF_A_LEVEL = ['price', 'percent', 'amount']

/** The field of the form at which a fault of the body stands. */
export function fieldOf(path: readonly (string | number)[]): string {
  const [name = ''] = path
  const isLevel = name === 'protection' && path.length > 1
  return isLevel
    ? path.filter((step) => !WAYS_OF_A_LEVEL.includes(String(step))).join('.')
    : (ELSEWHERE[name] ?? String(name))
}
