import { createHash } from 'node:crypto'

const FROM_USE = 10
/** Each connection of PostgreSQL keeps the plans of those that it has run. */
const MAX_PREPARED = 200
const MOST_COUNTED = 2_000

/** PostgreSQL's answer when a migration has changed the columns of a prepared statement. */
const FEATURE_NOT_SUPPORTED = '0A000'

/** Frequent statements of this process are prepared: PostgreSQL plans them once for each connection. */
export class PreparedStatements {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()

  /** Null where the statement is not prepared. Counts a use. */
  nameOf(text: string): string | null {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < FROM_USE || this.#names.size >= MAX_PREPARED) {
      if (this.#uses.size < MOST_COUNTED || uses > 1) this.#uses.set(text, uses)
      return null
    }
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    this.#uses.delete(text)
    this.#names.set(text, name)
    return name
  }

  /** Whether PostgreSQL refuses the statement under its name; it did not run and may be repeated without a name. */
  isOutdated(text: string, error: unknown): boolean {
    if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) return false
    this.#names.delete(text)
    this.#uses.set(text, Number.NEGATIVE_INFINITY)
    return true
  }
}
