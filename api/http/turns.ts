/** Too much is waiting already, or waiting took too long; nothing was done. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'
  /** The caller's own work stands in the way, and not that of others. */
  readonly isOwn: boolean

  constructor(isOwn: boolean) {
    super(
      `${isOwn ? 'work of this caller' : 'work of all callers together'} takes all that may go on at once`,
    )
    this.isOwn = isOwn
  }
}

/** How much may go on at the same time. */
export interface TurnBound {
  /** Work of one caller. */
  atOnce: number
  /** Work of one caller that may wait for its turn; more is refused at once. */
  waiting: number
  /** Work of all callers together; nothing bounds it where it is left out. */
  inAll?: number
}

/** What goes on at this moment. */
export interface TurnUse {
  underWay: number
  waiting: number
}

/** Lets callers begin in turn. */
export interface Turns {
  /**
   * Resolves as soon as the caller may begin, with the function that ends their turn; to end it twice is harmless. What one
   * caller asks for begins in the order of asking, and between callers who wait it goes round: who asks for much waits for
   * themselves. Throws {@link NoTurn}.
   */
  enter(caller: string): Promise<() => void>
  use(): TurnUse
}

interface Line {
  underWay: number
  /** Each begins one that waits. */
  waiting: (() => void)[]
}

/** @param patience milliseconds after which whoever still waits is refused */
export function createTurns({ atOnce, waiting, inAll = Infinity }: TurnBound, patience: number): Turns {
  /** By caller; whose turn was last stands last. Who has nothing under way is forgotten: callers come and go. */
  const lines = new Map<string, Line>()
  let underWay = 0

  const begin = (caller: string, line: Line): (() => void) => {
    underWay += 1
    line.underWay += 1
    moveToTheBack(caller, line)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      underWay -= 1
      line.underWay -= 1
      // Whoever began to wait meanwhile comes first.
      moveToTheBack(caller, line)
      beginNext()
      forget(caller, line)
    }
  }
  const moveToTheBack = (caller: string, line: Line): void => {
    lines.delete(caller)
    lines.set(caller, line)
  }
  const beginNext = (): void => {
    if (underWay >= inAll) return
    for (const line of lines.values())
      if (line.waiting.length > 0 && line.underWay < atOnce) return line.waiting.shift()!()
  }
  const forget = (caller: string, line: Line): void => {
    if (line.underWay === 0 && line.waiting.length === 0) lines.delete(caller)
  }
  const wait = (caller: string, line: Line): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const beginNow = () => {
        clearTimeout(timer)
        resolve(begin(caller, line))
      }
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(beginNow), 1)
        reject(new NoTurn(line.underWay >= atOnce))
        forget(caller, line)
      }
      const timer = setTimeout(giveUp, patience)
      line.waiting.push(beginNow)
    })

  return {
    async enter(caller) {
      const line = lines.get(caller) ?? { underWay: 0, waiting: [] }
      if (line.underWay < atOnce && underWay < inAll) return begin(caller, line)
      if (line.waiting.length >= waiting) throw new NoTurn(line.underWay >= atOnce)
      lines.set(caller, line)
      return wait(caller, line)
    },
    use: () => ({
      underWay,
      waiting: [...lines.values()].reduce((sum, line) => sum + line.waiting.length, 0),
    }),
  }
}
