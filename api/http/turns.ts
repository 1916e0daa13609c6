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
  /** Work of one sender. */
  atOnce: number
  /** Work of one sender that may wait for its turn; more is refused at once. */
  waiting: number
  /** Work of all senders of one person; nothing bounds it where it is left out. */
  ofPerson?: number
  /** Work of all together; nothing bounds it where it is left out. */
  inAll?: number
}

/** Whose turn it is: a person or an address, by itself or by one of the ways in which it sends. */
export type TurnCaller = string | { person: string; sender: string }

/** The work that goes on at this moment. */
export interface TurnUse {
  underWay: number
  waiting: number
}

/** Lets callers begin in turn. */
export interface Turns {
  /**
   * Resolves as soon as the caller may begin, with the function that ends their turn; to end it twice is harmless. What one
   * sender asks for begins in the order of asking. Between people who wait it goes round, and then between the senders of
   * each: who asks for much, by however many tokens, waits for themselves. Throws {@link NoTurn}.
   */
  enter(caller: TurnCaller): Promise<() => void>
  use(): TurnUse
}

interface Line {
  underWay: number
  /** Each begins one that waits. */
  waiting: (() => void)[]
}

interface Person {
  underWay: number
  /** By sender; whose turn was last stands last. */
  lines: Map<string, Line>
}

/** @param patience milliseconds after which whoever still waits is refused */
export function createTurns(bound: TurnBound, patience: number): Turns {
  const { atOnce, waiting, ofPerson = Infinity, inAll = Infinity } = bound
  /** Whose turn was last stands last. Who has nothing under way is forgotten: callers come and go. */
  const people = new Map<string, Person>()
  let underWay = 0

  const placeOf = (caller: TurnCaller) => {
    const name = typeof caller === 'string' ? { person: caller, sender: caller } : caller
    const person: Person = people.get(name.person) ?? { underWay: 0, lines: new Map() }
    const line: Line = person.lines.get(name.sender) ?? { underWay: 0, waiting: [] }
    return {
      person,
      line,
      /** Keeps its place in the order where it has one. */
      join(): void {
        people.set(name.person, person)
        person.lines.set(name.sender, line)
      },
      moveToTheBack(): void {
        people.delete(name.person)
        people.set(name.person, person)
        person.lines.delete(name.sender)
        person.lines.set(name.sender, line)
      },
      forget(): void {
        if (line.underWay > 0 || line.waiting.length > 0) return
        person.lines.delete(name.sender)
        if (person.lines.size === 0) people.delete(name.person)
      },
    }
  }
  type Place = ReturnType<typeof placeOf>

  const isOwnInTheWay = (person: Person, line: Line): boolean =>
    line.underWay >= atOnce || person.underWay >= ofPerson

  const change = ({ person, line }: Place, by: number): void => {
    underWay += by
    person.underWay += by
    line.underWay += by
  }
  const begin = (place: Place): (() => void) => {
    change(place, 1)
    place.moveToTheBack()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      change(place, -1)
      // A caller who began to wait meanwhile comes first.
      place.moveToTheBack()
      beginNext()
      place.forget()
    }
  }
  const beginNext = (): void => {
    if (underWay >= inAll) return
    for (const person of people.values())
      for (const line of person.lines.values())
        if (line.waiting.length > 0 && !isOwnInTheWay(person, line)) return line.waiting.shift()!()
  }
  const wait = (place: Place): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const { person, line } = place
      const beginNow = () => {
        clearTimeout(timer)
        resolve(begin(place))
      }
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(beginNow), 1)
        reject(new NoTurn(isOwnInTheWay(person, line)))
        place.forget()
      }
      const timer = setTimeout(giveUp, patience)
      line.waiting.push(beginNow)
    })

  return {
    async enter(caller) {
      const place = placeOf(caller)
      const { person, line } = place
      if (!isOwnInTheWay(person, line) && underWay < inAll) return begin(place)
      if (line.waiting.length >= waiting) throw new NoTurn(isOwnInTheWay(person, line))
      place.join()
      return wait(place)
    },
    use: () => ({
      underWay,
      waiting: [...people.values()]
        .flatMap(({ lines }) => [...lines.values()])
        .reduce((sum, line) => sum + line.waiting.length, 0),
    }),
  }
}
