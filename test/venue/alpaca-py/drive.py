"""Drives the paper venue with Alpaca's own Python client, unchanged.

Every call is one row of a table: its name, the call, and what is expected of its answer, which is a condition or the
status of a refusal. Ends with "N of N calls", and with 0 when every answer was as expected.

OPEN_VENUE and CLOSED_VENUE are the addresses of two venues whose market is open and closed; KEY_ID and SECRET_KEY are
the keys of an account of each, CONTROL_SECRET opens both.
"""

import asyncio
import os
import sys
import threading
import time
import warnings
from datetime import date, datetime, timedelta, timezone
from uuid import UUID, uuid4

import requests
from alpaca.common.exceptions import APIError
from alpaca.data.historical.corporate_actions import CorporateActionsClient
from alpaca.data.historical.stock import StockHistoricalDataClient
from alpaca.data.requests import (
    CorporateActionsRequest,
    StockBarsRequest,
    StockLatestBarRequest,
    StockLatestQuoteRequest,
    StockLatestTradeRequest,
    StockQuotesRequest,
    StockSnapshotRequest,
    StockTradesRequest,
)
from alpaca.data.timeframe import TimeFrame, TimeFrameUnit
from alpaca.trading.client import TradingClient
from alpaca.trading.models import AccountConfiguration
from alpaca.trading.requests import (
    ClosePositionRequest,
    CreateWatchlistRequest,
    GetAssetsRequest,
    GetCalendarRequest,
    GetCorporateAnnouncementsRequest,
    GetOptionContractsRequest,
    GetOrderByIdRequest,
    GetOrdersRequest,
    GetPortfolioHistoryRequest,
    LimitOrderRequest,
    MarketOrderRequest,
    OptionLegRequest,
    ReplaceOrderRequest,
    StopLimitOrderRequest,
    StopLossRequest,
    StopOrderRequest,
    TakeProfitRequest,
    TrailingStopOrderRequest,
    UpdateWatchlistRequest,
)
from alpaca.trading.stream import TradingStream

warnings.simplefilter("ignore", DeprecationWarning)

# Rows that wait for order classes, trailing stops, changes of orders and the closing of everything: set to True with them.
HAS_ORDER_CLASSES = False

OPEN_VENUE, CLOSED_VENUE = os.environ["OPEN_VENUE"], os.environ["CLOSED_VENUE"]
KEYS = (os.environ["KEY_ID"], os.environ["SECRET_KEY"])
CONTROL = {"Authorization": f"Bearer {os.environ['CONTROL_SECRET']}"}
# Nothing is bought of the second but what its sales may sell: a sale beside a purchase that works is a wash trade.
SYMBOL, HELD, OTHER = "ZTPY", "ZTPYA", "ZTPYB"
PRICE = 100.0
PATIENCE = 5


def trading_client(url, keys=KEYS):
    return TradingClient(*keys, url_override=url)


def market_data(url):
    return StockHistoricalDataClient(*KEYS, url_override=url)


def order(kind=MarketOrderRequest, **terms):
    usual = {"symbol": SYMBOL, "side": "buy", "time_in_force": "day"}
    if "notional" not in terms:
        usual["qty"] = 1
    return kind(**{**usual, **terms})


def limit(price=PRICE / 2, **terms):
    return order(LimitOrderRequest, limit_price=price, **terms)


def until(look, condition):
    """The first answer that meets the condition; the last one when none does in time."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = look()
        if condition(answer) or time.monotonic() > deadline:
            return answer
        time.sleep(0.02)


def updates_of(url, count, act):
    """The first so many events that the order stream tells of one order, which `act` places with a client."""
    events = []
    stream = TradingStream(*KEYS, url_override=url.replace("http", "ws") + "/stream")
    placed = str(uuid4())

    async def note(update):
        if update.order.client_order_id == placed:
            events.append(update.event)

    async def run():
        stream.subscribe_trade_updates(note)
        await stream._run_forever()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    until(lambda: stream._running, bool)
    time.sleep(0.1)
    act(placed)
    return until(lambda: events, lambda told: len(told) >= count)


def pin(url, symbol):
    requests.put(f"{url}/venue/prices/{symbol}", json={"price": PRICE}, headers=CONTROL, timeout=PATIENCE).raise_for_status()


class Refused:
    """The expectation that a call is refused with this status."""

    def __init__(self, status):
        self.status = status


class Waiting:
    """An expectation of a row that waits for order classes."""

    def __init__(self, expected):
        self.expected = expected


def refused(status):
    return Refused(status)


def later(expected):
    return Waiting(expected)


def has(count):
    return lambda answer: len(answer) == count


def table(got):
    """The rows; `got` holds the answers of those before, by name."""
    client, data = trading_client(OPEN_VENUE), market_data(OPEN_VENUE)
    closed = trading_client(CLOSED_VENUE)
    now = datetime.now(timezone.utc)
    today = date.today()

    def filled(name):
        return until(lambda: client.get_order_by_id(got[name].id), lambda found: found.status == "filled")

    def configure(**changes):
        return client.set_account_configurations(client.get_account_configurations().model_copy(update=changes))

    yield "wrong keys", lambda: trading_client(OPEN_VENUE, (KEYS[0], "wrong")).get_account(), refused(401)

    # The account and its settings, which bind.
    yield "account", client.get_account, lambda account: account.status == "ACTIVE" and account.multiplier == "2"
    yield "configurations", client.get_account_configurations, lambda config: isinstance(config, AccountConfiguration) and not config.no_shorting
    yield "no shorting", lambda: configure(no_shorting=True), lambda config: config.no_shorting
    yield "short sale without shorting", lambda: client.submit_order(order(side="sell")), refused(403)
    yield "no fractions", lambda: configure(no_shorting=False, fractional_trading=False), lambda config: not config.fractional_trading
    yield "order in dollars without fractions", lambda: client.submit_order(order(notional=10)), refused(403)
    yield "trading suspended", lambda: configure(fractional_trading=True, suspend_trade=True), lambda config: config.suspend_trade
    yield "order while suspended", lambda: client.submit_order(order()), refused(403)
    yield "account while suspended", client.get_account, lambda account: account.trade_suspended_by_user
    yield "margin of one", lambda: configure(suspend_trade=False, max_margin_multiplier="1"), lambda config: config.max_margin_multiplier == "1"
    yield "account without margin", client.get_account, lambda account: account.multiplier == "1" and account.buying_power == account.cash
    yield "settings as before", lambda: configure(max_margin_multiplier="4"), lambda config: config.max_margin_multiplier == "4"

    # Orders.
    yield "market", lambda: client.submit_order(order(qty=5, client_order_id="py-market")), lambda placed: placed.symbol == SYMBOL
    yield "market filled", lambda: filled("market"), lambda found: float(found.filled_avg_price) == PRICE
    yield "dollars", lambda: client.submit_order(order(notional=250)), lambda placed: placed.qty is None
    yield "dollars filled", lambda: filled("dollars"), lambda found: float(found.filled_qty) == 2.5
    yield "fractional", lambda: client.submit_order(order(qty=0.5)), lambda placed: placed.qty == "0.5"
    yield "fractional filled", lambda: filled("fractional"), lambda found: found.status == "filled"
    yield "limit", lambda: client.submit_order(limit(client_order_id="py-limit")), lambda placed: placed.limit_price == "50"
    yield "limit gtc", lambda: client.submit_order(limit(time_in_force="gtc", extended_hours=True)), lambda placed: placed.extended_hours
    yield "limit ioc", lambda: client.submit_order(limit(time_in_force="ioc")), lambda placed: placed.time_in_force == "ioc"
    yield "limit fok", lambda: client.submit_order(limit(price=PRICE, time_in_force="fok")), lambda placed: placed.time_in_force == "fok"
    yield "stop", lambda: client.submit_order(order(StopOrderRequest, stop_price=150)), lambda placed: placed.stop_price == "150"
    yield "stop limit", lambda: client.submit_order(order(StopLimitOrderRequest, stop_price=150, limit_price=151)), lambda placed: placed.type == "stop_limit"
    yield "id used before", lambda: client.submit_order(limit(client_order_id="py-limit")), refused(422)
    yield "unknown share", lambda: client.submit_order(order(symbol="APPL")), refused(422)
    yield "coins", lambda: client.submit_order(order(symbol="BTC/USD", time_in_force="gtc")), refused(422)
    yield "option", lambda: client.submit_order(order(symbol="AAPL270115C00250000")), refused(403)
    yield "options of several legs", lambda: client.submit_order(
        MarketOrderRequest(
            qty=1,
            time_in_force="day",
            order_class="mleg",
            legs=[OptionLegRequest(symbol=f"AAPL270115C0025{n}000", ratio_qty=1, side="buy") for n in (0, 5)],
        )
    ), refused(422)
    yield "bracket", lambda: client.submit_order(
        limit(order_class="bracket", take_profit=TakeProfitRequest(limit_price=120), stop_loss=StopLossRequest(stop_price=40))
    ), later(lambda placed: placed.order_class == "bracket" and len(placed.legs) == 2)
    yield "oto", lambda: client.submit_order(limit(order_class="oto", stop_loss=StopLossRequest(stop_price=40))), later(
        lambda placed: placed.order_class == "oto" and len(placed.legs) == 1
    )
    yield "held", lambda: client.submit_order(order(symbol=HELD, qty=3)), lambda placed: placed.symbol == HELD
    yield "held, filled", lambda: filled("held"), lambda found: found.status == "filled"
    yield "oco", lambda: client.submit_order(
        limit(
            symbol=HELD,
            price=120,
            side="sell",
            order_class="oco",
            take_profit=TakeProfitRequest(limit_price=120),
            stop_loss=StopLossRequest(stop_price=80, limit_price=79),
        )
    ), later(lambda placed: placed.order_class == "oco" and len(placed.legs) == 1)
    yield "trailing stop in dollars", lambda: client.submit_order(order(TrailingStopOrderRequest, symbol=HELD, side="sell", trail_price=5)), later(
        lambda placed: placed.trail_price == "5" and placed.hwm == "100"
    )
    yield "trailing stop in percent", lambda: client.submit_order(order(TrailingStopOrderRequest, symbol=HELD, side="sell", trail_percent=5)), later(
        lambda placed: placed.trail_percent == "5"
    )
    yield "open orders", client.get_orders, lambda found: len(found) >= 4
    yield "orders by everything", lambda: client.get_orders(
        GetOrdersRequest(
            status="all",
            limit=100,
            after=now - timedelta(hours=1),
            until=now + timedelta(hours=1),
            direction="asc",
            nested=True,
            side="buy",
            symbols=[SYMBOL],
        )
    ), lambda found: found[0].client_order_id == "py-market"
    yield "closed orders", lambda: client.get_orders(GetOrdersRequest(status="closed")), lambda found: len(found) >= 3
    yield "order by id", lambda: client.get_order_by_id(got["limit"].id), lambda found: found.status == "new"
    yield "order by id, nested", lambda: client.get_order_by_id(got["limit"].id, GetOrderByIdRequest(nested=True)), lambda found: found.id == got["limit"].id
    yield "order by client id", lambda: client.get_order_by_client_id("py-limit"), lambda found: found.id == got["limit"].id
    yield "unknown order", lambda: client.get_order_by_id(uuid4()), refused(404)
    yield "changed order", lambda: client.replace_order_by_id(got["limit"].id, ReplaceOrderRequest(limit_price=51)), later(
        lambda found: found.limit_price == "51" and found.replaces == got["limit"].id
    )
    yield "cancel", lambda: client.cancel_order_by_id(got["limit gtc"].id), lambda answer: answer is None
    yield "cancel again", lambda: client.cancel_order_by_id(got["limit gtc"].id), refused(422)
    yield "cancel all", client.cancel_orders, lambda answers: len(answers) >= 3 and all(each.status == 200 for each in answers)
    yield "no open orders", lambda: until(client.get_orders, lambda found: not found), has(0)

    # Positions.
    yield "positions", client.get_all_positions, lambda found: [each.symbol for each in found] == [SYMBOL, HELD]
    yield "position by symbol", lambda: client.get_open_position(SYMBOL), lambda found: float(found.qty) == 9
    yield "position by asset", lambda: client.get_open_position(got["position by symbol"].asset_id), lambda found: found.symbol == SYMBOL
    yield "no position", lambda: client.get_open_position("AAPL"), refused(404)
    yield "part closed", lambda: client.close_position(SYMBOL, ClosePositionRequest(qty="2")), lambda placed: placed.side == "sell"
    yield "part closed, filled", lambda: filled("part closed"), lambda found: found.status == "filled"
    yield "half closed", lambda: client.close_position(SYMBOL, ClosePositionRequest(percentage="50")), lambda placed: placed.qty == "3.5"
    yield "half closed, filled", lambda: filled("half closed"), lambda found: found.status == "filled"
    yield "all closed by asset", lambda: client.close_position(got["position by symbol"].asset_id), lambda placed: placed.qty == "3.5"
    yield "all closed by asset, filled", lambda: filled("all closed by asset"), lambda found: found.status == "filled"
    yield "everything closed", lambda: client.close_all_positions(cancel_orders=True), later(lambda answers: isinstance(answers, list))
    yield "exercise of an option", lambda: client.exercise_options_position("AAPL270115C00250000"), refused(404)

    # Portfolio history.
    def history(**terms):
        return lambda: client.get_portfolio_history(GetPortfolioHistoryRequest(**terms))

    def is_history(timeframe):
        return lambda found: found.timeframe == timeframe and len(found.timestamp) == len(found.equity) == len(found.profit_loss) > 0

    yield "history", client.get_portfolio_history, is_history("1D")
    yield "history of a day", history(period="1D", timeframe="5Min", extended_hours=True), is_history("5Min")
    yield "history of a week", history(period="1W", timeframe="1H", intraday_reporting="continuous", pnl_reset="no_reset"), is_history("1H")
    yield "history until a day", history(period="1M", date_end=today, cashflow_types="ALL"), is_history("1D")
    yield "history between instants", history(start=now - timedelta(days=3), end=now, timeframe="15Min"), is_history("15Min")
    yield "history in minutes of a year", history(period="1A", timeframe="1Min"), refused(422)

    # Assets.
    yield "assets", client.get_all_assets, lambda found: len(found) > 800
    yield "assets by all filters", lambda: client.get_all_assets(
        GetAssetsRequest(status="active", asset_class="us_equity", exchange="ARCA")
    ), lambda found: 0 < len(found) < 200 and all(each.exchange == "ARCA" for each in found)
    yield "inactive assets", lambda: client.get_all_assets(GetAssetsRequest(status="inactive")), has(0)
    yield "coins among the assets", lambda: client.get_all_assets(GetAssetsRequest(asset_class="crypto")), has(0)
    yield "assets with options", lambda: client.get_all_assets(GetAssetsRequest(attributes="has_options")), has(0)
    yield "asset by symbol", lambda: client.get_asset("AAPL"), lambda found: found.fractionable and isinstance(found.id, UUID)
    yield "asset by id", lambda: client.get_asset(got["asset by symbol"].id), lambda found: found.symbol == "AAPL"
    yield "unknown asset", lambda: client.get_asset("APPL"), refused(404)
    yield "option contracts", lambda: client.get_option_contracts(GetOptionContractsRequest(underlying_symbols=["AAPL"])), lambda found: found.option_contracts == []
    yield "option contract", lambda: client.get_option_contract("AAPL270115C00250000"), refused(404)

    # Clock and calendar.
    yield "clock", client.get_clock, lambda clock: clock.is_open and clock.next_close > clock.timestamp
    yield "clock of a closed market", closed.get_clock, lambda clock: not clock.is_open
    yield "calendar", client.get_calendar, lambda days: len(days) > 20
    yield "calendar of a week", lambda: client.get_calendar(
        GetCalendarRequest(start=date(2026, 11, 23), end=date(2026, 11, 29))
    ), lambda days: len(days) == 7 and days[0].close == datetime(2026, 11, 23, 23, 59)

    # Watchlists.
    yield "new watchlist", lambda: client.create_watchlist(CreateWatchlistRequest(name="first", symbols=["AAPL", "SPY"])), lambda made: len(made.assets) == 2
    yield "watchlist of the same name", lambda: client.create_watchlist(CreateWatchlistRequest(name="first", symbols=[])), refused(422)
    yield "watchlists", client.get_watchlists, has(1)
    yield "watchlist", lambda: client.get_watchlist_by_id(got["new watchlist"].id), lambda found: found.name == "first"
    yield "changed watchlist", lambda: client.update_watchlist_by_id(
        got["new watchlist"].id, UpdateWatchlistRequest(name="second", symbols=["SPY"])
    ), lambda found: found.name == "second" and len(found.assets) == 1
    yield "symbol added", lambda: client.add_asset_to_watchlist_by_id(got["new watchlist"].id, "QQQ"), lambda found: len(found.assets) == 2
    yield "symbol removed", lambda: client.remove_asset_from_watchlist_by_id(got["new watchlist"].id, "SPY"), lambda found: found.assets[0].symbol == "QQQ"
    yield "watchlist deleted", lambda: client.delete_watchlist_by_id(got["new watchlist"].id), lambda answer: answer is None
    yield "watchlist that is gone", lambda: client.get_watchlist_by_id(got["new watchlist"].id), refused(404)

    # Corporate actions.
    def announcements(since):
        return lambda: client.get_corporate_announcements(
            GetCorporateAnnouncementsRequest(ca_types=["dividend", "split"], since=since, until=today, symbol="AAPL")
        )

    yield "announcements", announcements(today - timedelta(days=30)), has(0)
    yield "announcement", lambda: client.get_corporate_announcement_by_id(uuid4()), refused(404)
    yield "corporate actions", lambda: CorporateActionsClient(*KEYS, url_override=OPEN_VENUE).get_corporate_actions(
        CorporateActionsRequest(symbols=["AAPL"], start=date(2026, 1, 1))
    ), lambda found: found.data == {}

    # Market data.
    symbols = ["AAPL", "SPY"]
    hour = {"start": now - timedelta(days=2, hours=1), "end": now - timedelta(days=2)}
    days = {"start": now - timedelta(days=40), "end": now}
    both = lambda found: sorted(found.data) == symbols and all(found.data.values())

    def bars(frame, **terms):
        return lambda: data.get_stock_bars(StockBarsRequest(symbol_or_symbols=symbols, timeframe=frame, **terms))

    yield "bars of a minute", bars(TimeFrame.Minute, **hour, feed="iex", adjustment="split"), both
    yield "bars of five minutes, newest first", bars(TimeFrame(5, TimeFrameUnit.Minute), **hour, sort="desc", limit=10), lambda found: (
        len(found["AAPL"]) == 10 and found["AAPL"][0].timestamp > found["AAPL"][1].timestamp
    )
    yield "bars of an hour", bars(TimeFrame.Hour, **days), lambda found: len(found["AAPL"]) > 200
    yield "bars of a day", bars(TimeFrame.Day, **days), lambda found: len(found["SPY"]) >= 39 and len(found.df) == 2 * len(found["SPY"])
    yield "bars of a week", bars(TimeFrame.Week, **days), both
    yield "bars of a month", bars(TimeFrame.Month, start=now - timedelta(days=100)), both
    yield "bars of today", bars(TimeFrame.Day), both
    yield "trades", lambda: data.get_stock_trades(
        StockTradesRequest(symbol_or_symbols="AAPL", start=hour["end"] - timedelta(minutes=1), end=hour["end"])
    ), lambda found: len(found["AAPL"]) >= 60
    yield "quotes", lambda: data.get_stock_quotes(StockQuotesRequest(symbol_or_symbols=symbols, **hour, limit=5000)), lambda found: (
        len(found["AAPL"]) + len(found["SPY"]) == 5000
    )
    yield "latest trades", lambda: data.get_stock_latest_trade(StockLatestTradeRequest(symbol_or_symbols=SYMBOL)), lambda found: found[SYMBOL].price == PRICE
    yield "latest quotes", lambda: data.get_stock_latest_quote(StockLatestQuoteRequest(symbol_or_symbols=symbols, feed="iex")), lambda found: (
        found["AAPL"].bid_price < found["AAPL"].ask_price
    )
    yield "latest bars", lambda: data.get_stock_latest_bar(StockLatestBarRequest(symbol_or_symbols=symbols)), lambda found: found["SPY"].volume > 0
    yield "snapshots", lambda: data.get_stock_snapshot(StockSnapshotRequest(symbol_or_symbols=symbols)), lambda found: (
        found["AAPL"].daily_bar.high >= found["AAPL"].latest_trade.price * 0.999 and found["SPY"].previous_daily_bar.open > 0
    )
    yield "prices of coins", lambda: data.get_stock_latest_trade(StockLatestTradeRequest(symbol_or_symbols="BTC/USD")), refused(400)

    # Streams.
    yield "updates of an order", lambda: updates_of(
        OPEN_VENUE, 2, lambda name: client.submit_order(order(symbol=OTHER, client_order_id=name))
    ), lambda events: events == ["new", "fill"]
    yield "updates on a closed market", lambda: updates_of(
        CLOSED_VENUE, 1, lambda name: closed.submit_order(order(client_order_id=name))
    ), lambda events: events == ["accepted"]


def verdict(run, expected):
    """None when the answer was as expected, otherwise what it was, with the answer."""
    try:
        answer = run()
    except APIError as error:
        if isinstance(expected, Refused) and error.status_code == expected.status:
            return None, None
        return None, f"refused with {error.status_code}: {error}"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    if isinstance(expected, Refused):
        return answer, f"was not refused: {answer}"
    return answer, None if expected(answer) else f"is not as expected: {answer}"


def main():
    for url in (OPEN_VENUE, CLOSED_VENUE):
        for symbol in (SYMBOL, HELD, OTHER):
            pin(url, symbol)
    # For a minute around midnight in New York the one is closed, and the other open.
    for url, is_open in ((OPEN_VENUE, True), (CLOSED_VENUE, False)):
        while trading_client(url).get_clock().is_open != is_open:
            time.sleep(1)
    got, right, total = {}, 0, 0
    for name, run, expected in table(got):
        if isinstance(expected, Waiting):
            if not HAS_ORDER_CLASSES:
                continue
            expected = expected.expected
        total += 1
        got[name], fault = verdict(run, expected)
        if fault is None:
            right += 1
        else:
            print(f"{name}: {fault}")
    print(f"{right} of {total} calls")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
