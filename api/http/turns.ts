export class NoTurn extends Error {
  override readonly name = 'NoTurn'
  readonly isOwn: boolean

  constructor(isOwn: boolean) {
    super(
      `${isOwn ? 'work of this caller' : 'work of all callers together'} takes all that may go on at once`,
    )
    this.isOwn = isOwn
  }
}

export interface TurnBound {
  atOnce: number
  waiting: number
  ofPerson?: number
  inAll?: number
}

export type TurnCaller = string | { person: string; sender: string }

export interface TurnUse {
  underWay: number
  waiting: number
}

export interface Turns {
  /** The function ends the turn, idempotent. Round robin between people, then senders. Throws {@link
   * NoTurn}. */
  enter(caller: TurnCaller): Promise<() => void>
  use(): TurnUse
}

interface Line {
  underWay: number
  waiting: (() => void)[]
}

interface Person {
  underWay: number
  lines: Map<string, Line>
}

/** @param patience milliseconds */
export function createTurns(bound: TurnBound, patience: number): Turns {
  const { atOnce, waiting, ofPerson = Infinity, inAll = Infinity } = bound
  const people = new Map<string, Person>()
  let underWay = 0

  const placeOf = (caller: TurnCaller) => {
    const name = typeof caller === 'string' ? { person: caller, sender: caller } : caller
    const person: Person = people.get(name.person) ?? { underWay: 0, lines: new Map() }
    const line: Line = person.lines.get(name.sender) ?? { underWay: 0, waiting: [] }
    return {
      person,
      line,
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
