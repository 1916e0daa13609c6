import { createHash } from 'node:crypto'

/** A statement is prepared from this use on. */
const FROM_USE = 10
/** Statements that are prepared at most: each connection of PostgreSQL keeps the plans of those that it has run. */
const MAX_PREPARED = 200
/** Texts that are counted at most; those of lists differ with what is asked for. */
const MOST_COUNTED = 2_000

/** The answer of PostgreSQL to a prepared statement whose columns a migration has changed since. */
const FEATURE_NOT_SUPPORTED = '0A000'

/**
 * Which statements of this process are prepared: those that come again and again. PostgreSQL plans one with a name once for
 * each connection, and anew when its tables change, where it would otherwise plan it at every use; it goes on planning with
 * the values at hand where that makes a better plan.
 */
export class PreparedStatements {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()

  /** The name under which a statement is prepared, to be asked for at each use; null where it is not. */
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

  /**
   * Takes a statement back that PostgreSQL does not run under its name any more, and tells whether this is the case. It was
   * not run, and may be run without a name.
   *
   * @param error of a use with its name
   */
  isOutdated(text: string, error: unknown): boolean {
    if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) return false
    this.#names.delete(text)
    this.#uses.set(text, Number.NEGATIVE_INFINITY)
    return true
  }
}
