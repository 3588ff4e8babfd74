"""Prints what the Python package cftime makes of numbers in many units and calendars, as golden.csv
has it: python3 golden.py > golden.csv. Times of units,calendar,number: the date that num2date
returns, and for that date the number that date2num returns for the units."""
import random
import warnings

import cftime

warnings.simplefilter("ignore")
calendars = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
dates = ["1900-01-01 00:00", "1970-01-01", "0001-01-01 00:00:00", "1582-10-15 12:00", "1582-10-04 23:59:59", "2000-02-29 06:30:15.5",
         "-0044-03-15", "1850-1-1 0:0:0.0", "2000-01-01T00:00:00Z", "1999-12-31 23:30:00 -05:30", "1999-12-31 23:30:00+0930"]
lengths = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1, "milliseconds": 0.001, "microseconds": 1e-6, "d": 86400, "hr": 3600,
           "min": 60, "secs": 1, "msec": 0.001}
print("units,calendar,number,date,back")
r = random.Random(20)
for calendar in calendars:
    for date in dates:
        for unit in lengths:
            units = f"{unit} since {date}"
            span = 86400 * 366 * r.choice([1, 10, 300, 2500])
            numbers = [0, 1, -1, int(r.uniform(-1, 1) * span / lengths[unit]), r.choice([0.5, 0.1, 1 / 3, -0.25])]
            if lengths[unit] >= 1:
                numbers += [r.uniform(-1, 1) * span / lengths[unit]]
            for number in numbers:
                try:
                    t = cftime.num2date(number, units, calendar)
                    back = cftime.date2num(t, units, calendar)
                except (ValueError, OverflowError):
                    if number == 0:
                        print(f"{units},{calendar},{number!r},refused,")
                    continue
                text = f"{t.year},{t.month},{t.day},{t.hour},{t.minute},{t.second},{t.microsecond}".replace(",", " ")
                print(f"{units},{calendar},{number!r},{text},{float(back)!r}")
