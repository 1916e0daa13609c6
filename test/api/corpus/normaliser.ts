/** What differs from one run to the next, and a mark in its place; the first that fits takes the text. */
const MARKS: readonly [RegExp, string][] = [
  [/("requestId":")[0-9a-f-]{36}/g, '$1<request>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/\b(?:\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, '<instant>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<date>'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'],
  [/\bpk[0-9a-f]{18}(@|%40)/g, '<key>$1'],
  [/\bPK[0-9A-F]{18}\b/g, '<key>'],
  [/("id":")\d+"/g, '$1<number>"'],
  // Hours and days of the week by which statistics are grouped.
  [/("key":)\d+/g, '$1"<number>"'],
  [/\bPV[0-9A-F]{10}\b/g, '<broker account>'],
  [/("(?:nextCursor|cursor|refreshToken|token|deviceCode|pushKey|mfaToken|ticket)":")[^"]+/g, '$1<secret>'],
  [/("(?:\w+HoldSeconds)":)\d+(?:\.\d+)?/g, '$1"<time>"'],
  [/\bdth_\w+/g, '<hook secret>'],
  [/\b(dtk?)_[\w-]+/g, '<$1>'],
  // Of a second factor.
  [/(secret=|"secret":")[A-Z2-7]{32}/g, '$1<secret>'],
  [/("key":")[0-9a-f]{64}/g, '$1<signing key>'],
  [/\b[A-Z]{4}-[A-Z]{4}\b/g, '<user code>'],
  // Of backup codes and of keys from before tokens.
  [/("backupCodes":)\[[^\]]*\]/g, '$1"<codes>"'],
  [/whsec_[\w+/=]+/g, '<secret of a webhook>'],
  [/never port \d+/g, 'never port <port>'],
  // Counted over the last minute.
  [/("ordersThisMinute":)\d+/g, '$1"<number>"'],
  // Whether the broker's news that an order works comes before the answer to its sender is chance.
  [/("status":")(?:PENDING|OPEN)(","message":"The broker accepted the order)/g, '$1<working>$2'],
  [/("\w+Ms":)\d+(?:\.\d+)?/g, '$1"<time>"'],
]
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g

/** Marks ids, secrets and instants: the same id gets the same number, counted by first appearance in a subject. */
export class Normaliser {
  readonly #numbers = new Map<string, number>()
  readonly #secrets = new Map<string, string>()

  /** From now on the text is shown as `<name>`. */
  hide(secret: string, name: string): void {
    this.#secrets.set(secret, `<${name}>`)
  }

  normal(text: string): string {
    let normal = text
    for (const [secret, mark] of this.#secrets) normal = normal.replaceAll(secret, mark)
    for (const [pattern, mark] of MARKS) normal = normal.replace(pattern, mark)
    return normal.replace(UUID, (id) => `<id ${this.#numberOf(id)}>`)
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id) ?? this.#numbers.size + 1
    this.#numbers.set(id, known)
    return known
  }
}
