/** At most so many at a time, in order. The first failure rejects; the others go on. */
export async function mapLimit<T>(
  most: number,
  items: Iterable<T>,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items].entries()
  const oneAfterTheOther = async (): Promise<void> => {
    // All of them take from the same iterator.
    for (const [index, item] of waiting) await work(item, index)
  }
  await Promise.all(Array.from({ length: most }, oneAfterTheOther))
}
