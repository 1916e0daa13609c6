/** At most `most` items at a time. The first failure rejects; the others continue. */
export async function mapLimit<T>(
  most: number,
  items: Iterable<T>,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items].entries()
  const oneAfterTheOther = async (): Promise<void> => {
    for (const [index, item] of waiting) await work(item, index)
  }
  await Promise.all(Array.from({ length: most }, oneAfterTheOther))
}
