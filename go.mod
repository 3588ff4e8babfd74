module drx

go 1.26
