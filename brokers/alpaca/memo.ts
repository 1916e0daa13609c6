const MOST = 10_000

export class Memo<T> {
  readonly #entries = new Map<string, T>()

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
